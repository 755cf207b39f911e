import { realpath } from 'node:fs/promises'
import { isAbsolute, normalize, relative, sep } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { HostFolder } from '../../../host.ts'

/**
 * The files that an agent's tools can reach. Accepts paths as a model writes them: `a`, `./a`, `b/../a`, or an absolute path
 * inside the workspace. Refuses other paths with `path_refused`.
 */
export interface WorkspaceFiles extends Omit<HostFolder, 'path' | 'list'> {
  /** The folder in which relative paths are resolved. */
  readonly root: string
  /** The path to show, relative to the workspace if it is inside. Refuses the same invalid paths as `open`. */
  name(path: string): Promise<string>
}

export function createWorkspaceFiles(folder: HostFolder): WorkspaceFiles {
  // The home folder may be a link. A model can then see both paths of the workspace.
  const roots = async () => [folder.path, await realpath(folder.path).catch(() => folder.path)]
  const inside = async (path: string) => insideWorkspace(await roots(), path)
  return {
    root: folder.path,
    name: inside,
    open: async (path) => folder.open(await inside(path)),
    stage: async (path, content) => folder.stage(await inside(path), content),
    remove: async (path) => folder.remove(await inside(path)),
    enter: async (path) => folder.enter(await inside(path)),
  }
}

/** The path relative to the workspace, without `.` and `..`; `''` = the workspace itself. */
function insideWorkspace(roots: readonly string[], path: string): string {
  checkSpelling(path)
  const candidates = isAbsolute(path) ? roots.map((root) => relative(root, normalize(path))) : [normalize(path)]
  const found = candidates.find((candidate) => candidate !== '..' && !candidate.startsWith(`..${sep}`))
  if (found === undefined) throw pathRefused(path, 'it is outside the workspace')
  const trimmed = found.replace(/\/+$/, '')
  return trimmed === '.' ? '' : trimmed
}

/** Refuses paths that no file tool accepts. */
export function checkSpelling(path: string): void {
  if (path.trim() === '') throw pathRefused(path, 'it is empty')
  if (path.includes('\0')) throw pathRefused(path, 'it contains a NUL character')
  if (!path.isWellFormed()) throw pathRefused(path, 'it contains half of a surrogate pair')
  if (path.length > 4096) throw pathRefused(path, 'it is longer than 4096 characters')
  if (/^~(\/|$)/.test(path)) throw pathRefused(path, '"~" is not expanded here')
}

export function pathRefused(path: string, problem: string): ClawbooError {
  const shown = path.slice(0, 200)
  return new ClawbooError('path_refused', `path "${shown}" is refused: ${problem}`, { details: { path: shown } })
}
