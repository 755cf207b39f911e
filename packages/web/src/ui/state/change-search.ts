/**
 * The options for a navigation that changes some search parameters; a value without content removes its parameter.
 * Typing replaces the history entry, so that Back leaves the page instead of removing single letters.
 */
export function changeSearch(change: object) {
  return {
    search: (before: object) =>
      Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value)),
    replace: 'q' in change,
  }
}
