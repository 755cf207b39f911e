import { realpath } from 'node:fs/promises'
import { isAbsolute, normalize, relative, sep } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { HostFolder } from '../../host.ts'

/**
 * The files an agent's tools may reach, by the paths a model writes: `a`, `./a`, `b/../a`, or an absolute path that lies
 * inside. Refusals are `path_refused`.
 */
export interface WorkspaceFiles extends Omit<HostFolder, 'path' | 'list'> {
  /** The folder in which relative paths start. */
  readonly root: string
  /** How a path is shown: from the workspace on when it lies in there. Refuses what `open` refuses by its spelling. */
  name(path: string): Promise<string>
}

export function createWorkspaceFiles(folder: HostFolder): WorkspaceFiles {
  // A person's home may be reached over a link; a model then sees either spelling of the workspace.
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

/** The path from the workspace on, with no `.` and `..` left; `''` is the workspace itself. */
function insideWorkspace(roots: readonly string[], path: string): string {
  checkSpelling(path)
  const candidates = isAbsolute(path) ? roots.map((root) => relative(root, normalize(path))) : [normalize(path)]
  const found = candidates.find((candidate) => candidate !== '..' && !candidate.startsWith(`..${sep}`))
  if (found === undefined) throw pathRefused(path, 'it lies outside the workspace')
  const trimmed = found.replace(/\/+$/, '')
  return trimmed === '.' ? '' : trimmed
}

/** What no file tool takes, wherever it may reach. */
export function checkSpelling(path: string): void {
  if (path.trim() === '') throw pathRefused(path, 'it is empty')
  if (path.includes('\0')) throw pathRefused(path, 'it holds a NUL')
  if (!path.isWellFormed()) throw pathRefused(path, 'it is not text')
  if (path.length > 4096) throw pathRefused(path, 'it is longer than 4096 characters')
  if (/^~(\/|$)/.test(path)) throw pathRefused(path, '"~" is not expanded here')
}

export function pathRefused(path: string, why: string): ClawbooError {
  const shown = path.slice(0, 200)
  return new ClawbooError('path_refused', `path "${shown}" is refused: ${why}`, { details: { path: shown } })
}
