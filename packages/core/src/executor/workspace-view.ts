/** How many entries of one folder are shown. */
export const WORKSPACE_MAX_ENTRIES = 1000

/** How much of one file is shown. */
export const WORKSPACE_MAX_BYTES = 256 * 1024

/**
 * A view of the folder that an agent works in. Paths are relative to it; `''` is the folder itself. Links are not
 * followed, and paths that leave the folder are refused with `path_refused`.
 */
export interface WorkspaceView {
  /** null when the folder does not exist. The root always exists but may be empty. */
  list(path: string): Promise<WorkspaceListing | null>
  /** null when there is no such file. */
  read(path: string): Promise<WorkspaceFile | null>
}

export interface WorkspaceListing {
  /** Folders first, then by name. */
  readonly entries: readonly WorkspaceEntry[]
  /** More entries exist than `entries` contains. */
  readonly truncated: boolean
}

export interface WorkspaceEntry {
  readonly name: string
  /** `other`: an entry that cannot be opened, such as a link. */
  readonly kind: 'file' | 'folder' | 'other'
  /** null unless it is a file. */
  readonly bytes: number | null
  readonly modifiedAt: number
}

export interface WorkspaceFile {
  /** The size of the whole file. */
  readonly bytes: number
  readonly modifiedAt: number
  /** null when the content is not UTF-8 text. */
  readonly text: string | null
  /** `text` is only the beginning of the file. */
  readonly truncated: boolean
}
