/** Runs something once, `ms` later. What it gives back calls that off. */
export type After = (ms: number, run: () => void) => () => void

export const afterRealTime: After = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
