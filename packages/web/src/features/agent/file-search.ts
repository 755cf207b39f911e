/** The search parameters of a file page. */
export interface FileSearch {
  /** Whether the history panel is open. */
  readonly history?: boolean
  /** The revision that is compared with the saved text. */
  readonly revision?: number
}

export function readFileSearch(search: Record<string, unknown>): FileSearch {
  const revision = Number(search.revision)
  return {
    ...(search.history === 'true' || search.history === true ? { history: true } : {}),
    ...(Number.isInteger(revision) && revision > 0 ? { revision } : {}),
  }
}
