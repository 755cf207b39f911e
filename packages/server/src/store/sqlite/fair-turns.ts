export type FairTurns = ReturnType<typeof createFairTurns>

/** A lock that callers get in the order of their calls. */
export function createFairTurns() {
  const waiting: (() => void)[] = []
  let taken = false

  const pass = () => {
    const next = waiting.shift()
    if (next) next()
    else taken = false
  }

  return {
    /** Resolves to a release function. Call it to pass the lock on. */
    async take() {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve))
      taken = true
      let passed = false
      return () => {
        if (passed) return
        passed = true
        pass()
      }
    },
  }
}
