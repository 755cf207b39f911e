/** The first member of a new team, when the page opens from a Boo. */
export function readNewTeamSearch(search: Record<string, unknown>): { member?: string } {
  return typeof search.member === 'string' && search.member !== '' ? { member: search.member } : {}
}
