/** Runs the work of one key in order, one call after another. A failure does not hold up the next call. */
export function createTurnsByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work, work)
    const settled = result
      // The caller receives the error through `result`; the next call only waits for the end.
      .catch(() => {})
      .then(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
