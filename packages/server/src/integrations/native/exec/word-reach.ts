import { lstat, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { isInside } from './inside-folder.ts'
import { parseCommand } from './shell-segments.ts'

/** Longer bundles of short options are not looked through. */
const BUNDLE_MAX_CHARS = 100

/**
 * The words of a command that lead out of the workspace once links are followed; `.` stands for the folder it runs in.
 * A whole path outside is not among them: nobody who reads it takes it for one in the workspace.
 */
export async function wordsLeadingOut(
  command: string,
  where: { readonly cwd: string; readonly workspace: string },
): Promise<ReadonlySet<string>> {
  const parsed = parseCommand(command)
  if (!parsed.understood) return new Set()
  const roots = [where.workspace, await realpath(where.workspace).catch(() => where.workspace)]
  const found = new Set<string>()
  for (const word of new Set([
    '.',
    ...parsed.segments.flatMap(({ words }) => words.slice(1).map(({ text }) => text)),
  ])) {
    if (isLongBundle(word)) found.add(word)
    else for (const path of pathsIn(word)) if (await leadsOut(path, where.cwd, roots)) found.add(word)
  }
  return found
}

async function leadsOut(path: string, cwd: string, roots: readonly string[]): Promise<boolean> {
  if (isAbsolute(path) && !roots.some((root) => isInside(root, resolve(path)))) return false
  // Not normalized: after a link `..` is the folder above what it leads to.
  const real = await realOf(isAbsolute(path) ? path : `${cwd}/${path}`)
  return real === null || !isInside(roots.at(-1)!, real)
}

/** Where a path leads, by its nearest folder when there is nothing (yet); null when that cannot be told. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) || path.split('/').includes('..')) return null
    // A link to nothing: what a command makes there lies wherever it leads.
    if (await lstat(path).catch(() => null)) return null
    return path === dirname(path) ? path : realOf(dirname(path))
  }
}

/** Every part of a word that a program might take for a path: `x`, `--file=x`, `-fx`, `if=x`. */
function pathsIn(word: string): readonly string[] {
  const value = word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []
  if (!/^-[^-]/.test(word)) return [word, ...value]
  return [word, ...Array.from({ length: word.length - 2 }, (_, at) => word.slice(at + 2))]
}

function isLongBundle(word: string): boolean {
  return /^-[^-]/.test(word) && word.length > BUNDLE_MAX_CHARS
}
