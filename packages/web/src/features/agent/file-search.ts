/** The search parameters of a file page. */
export interface FileSearch {
  /** The history panel is open. */
  readonly history?: boolean
  /** This revision is compared with what is saved now. */
  readonly revision?: number
}

export function readFileSearch(search: Record<string, unknown>): FileSearch {
  const revision = Number(search.revision)
  return {
    ...(search.history === 'true' || search.history === true ? { history: true } : {}),
    ...(Number.isInteger(revision) && revision > 0 ? { revision } : {}),
  }
}
