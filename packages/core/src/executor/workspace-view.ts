/** How many entries of one folder are shown. */
export const WORKSPACE_MAX_ENTRIES = 1000

/** How much of one file is shown. */
export const WORKSPACE_MAX_BYTES = 256 * 1024

/**
 * What lies in the folder an agent works in. Paths are relative to it; `''` is the folder itself. It follows no link and
 * never leaves the folder: what would is refused with `path_refused`.
 */
export interface WorkspaceView {
  /** null when there is no such folder. The folder itself is always there, perhaps empty. */
  list(path: string): Promise<WorkspaceListing | null>
  /** null when there is no such file. */
  read(path: string): Promise<WorkspaceFile | null>
}

export interface WorkspaceListing {
  /** Folders first, then by name. */
  readonly entries: readonly WorkspaceEntry[]
  /** There is more than `entries` holds. */
  readonly truncated: boolean
}

export interface WorkspaceEntry {
  readonly name: string
  /** `other` is what cannot be opened here, such as a link. */
  readonly kind: 'file' | 'folder' | 'other'
  /** null unless it is a file. */
  readonly bytes: number | null
  readonly modifiedAt: number
}

export interface WorkspaceFile {
  /** Of the whole file. */
  readonly bytes: number
  readonly modifiedAt: number
  /** null when it is not UTF-8 text. */
  readonly text: string | null
  /** `text` is only its beginning. */
  readonly truncated: boolean
}
