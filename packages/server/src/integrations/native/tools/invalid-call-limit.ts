/** After this many calls in a row that do not fit their tool, a model is not going to get it right. */
export const INVALID_CALLS_MAX = 3

/** Counts calls in a row that failed their tool's check; one that passes starts anew. */
export function createInvalidCallLimit(max = INVALID_CALLS_MAX): { note(problem: string | null): 'go-on' | 'stop' } {
  let inARow = 0
  return {
    note(problem) {
      inARow = problem === null ? 0 : inARow + 1
      return inARow >= max ? 'stop' : 'go-on'
    },
  }
}
