/** Runs a function once after `ms`. Returns a function that cancels it. */
export type After = (ms: number, run: () => void) => () => void

export const afterRealTime: After = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
