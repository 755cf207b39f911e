/** Runs work in the order of the calls, one piece at a time. A failure does not stop the next piece. */
export interface InOrder {
  <T>(work: () => Promise<T>): Promise<T>
  /** Resolves when all work that was passed in so far has ended. Never rejects. */
  settled(): Promise<void>
}

export function createInOrder(): InOrder {
  let last: Promise<void> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.then(ignore, ignore)
    return result
  }
  return Object.assign(inOrder, { settled: () => last })
}

/** The same for each key: work under different keys may overlap. */
export function createInOrderByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const orders = new Map<string, { readonly inOrder: InOrder; waiting: number }>()
  return (key, work) => {
    const order = orders.get(key) ?? { inOrder: createInOrder(), waiting: 0 }
    orders.set(key, order)
    order.waiting += 1
    return order.inOrder(work).finally(() => {
      order.waiting -= 1
      if (order.waiting === 0) orders.delete(key)
    })
  }
}

function ignore(): void {}
