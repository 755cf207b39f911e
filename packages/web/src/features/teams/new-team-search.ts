/** Whom a new team starts with, when its page is opened from a Boo. */
export function readNewTeamSearch(search: Record<string, unknown>): { member?: string } {
  return typeof search.member === 'string' && search.member !== '' ? { member: search.member } : {}
}
