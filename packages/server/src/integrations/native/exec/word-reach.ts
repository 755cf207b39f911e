import { lstat, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { isInside } from './inside-folder.ts'
import { parseCommand } from './shell-segments.ts'

/** Longer bundles of short options are not searched. */
const BUNDLE_MAX_CHARS = 100

/**
 * The words of a command that lead out of the workspace through links or `..`; `.` is the folder of the command. An
 * absolute path outside the workspace is not included, because every reader sees that it is outside.
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
  // Not normalized: after a link `..` is the folder above the target of the link.
  const real = await realOf(isAbsolute(path) ? path : `${cwd}/${path}`)
  return real === null || !isInside(roots.at(-1)!, real)
}

/** The path without links, or that of the nearest existing folder; null when it cannot be determined. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) || path.split('/').includes('..')) return null
    // A broken link: a command would create a file at its target.
    if (await lstat(path).catch(() => null)) return null
    return path === dirname(path) ? path : realOf(dirname(path))
  }
}

/** Every part of a word that a program may read as a path: `x`, `--file=x`, `-fx`, `if=x`. */
function pathsIn(word: string): readonly string[] {
  const value = word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []
  if (!/^-[^-]/.test(word)) return [word, ...value]
  return [word, ...Array.from({ length: word.length - 2 }, (_, at) => word.slice(at + 2))]
}

function isLongBundle(word: string): boolean {
  return /^-[^-]/.test(word) && word.length > BUNDLE_MAX_CHARS
}
