import { constants } from 'node:fs'
import { copyFile, mkdir, readlink, symlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { showName } from './git/git-command.ts'
import { RefusedError, refuse } from './refusal.ts'
import { bytesOf, walkFolder } from './walk-folder.ts'

/**
 * Copies a plain folder within bounds; links are copied as links. Returns notes that name the entries it left out:
 * special files, and links that lead out of the folder, through which an agent would change files outside it. Throws a
 * `RefusedError`.
 */
export async function copyFolder(
  from: string,
  to: string,
  limits: { readonly copyBytes: number; readonly copyFiles: number },
): Promise<string[]> {
  await mkdir(to, { mode: 0o700 })
  const leftOut: string[] = []
  let files = 0
  let bytes = 0
  for await (const found of walkFolder(from)) {
    if (found.kind === 'repository') throw nested(from, found.path)
    files += 1
    bytes += found.kind === 'file' ? found.size : 0
    if (files > limits.copyFiles || bytes > limits.copyBytes) throw tooLarge(from, limits)
    const up = found.path.lastIndexOf('/')
    if (up !== -1) await mkdir(bytesOf(to, found.path.slice(0, up)), { recursive: true })
    if (found.kind === 'file') {
      await copyFile(bytesOf(from, found.path), bytesOf(to, found.path), constants.COPYFILE_FICLONE)
    } else if (found.kind === 'link' && (await staysInside(from, found.path))) {
      const target = await readlink(bytesOf(from, found.path), { encoding: 'buffer' })
      await symlink(target, bytesOf(to, found.path))
    } else {
      leftOut.push(found.path)
    }
  }
  if (leftOut.length === 0) return []
  const names = leftOut.slice(0, 20).map(showName).join(', ')
  const more = leftOut.length > 20 ? ` and ${leftOut.length - 20} more` : ''
  return [`Not copied, because they lead out of the folder or are not files: ${names}${more}.`]
}

/** Returns whether the target of a link is inside the same folder, wherever that folder is. */
export async function staysInside(folder: string, path: string): Promise<boolean> {
  return leadsInside(path, (await readlink(bytesOf(folder, path), { encoding: 'buffer' })).toString('latin1'))
}

export function leadsInside(path: string, target: string): boolean {
  // A `..` after another link starts where that link leads.
  if (/(?:^|\/)\.\.(?:\/|$)/.test(target.replace(/^(?:\.{1,2}\/+)*(?:\.{1,2}$)?/, ''))) return false
  const up = path.lastIndexOf('/')
  const reached = posix.normalize(posix.join(up === -1 ? '.' : path.slice(0, up), target))
  return !posix.isAbsolute(target) && reached !== '..' && !reached.startsWith('../')
}

const nested = (folder: string, path: string) =>
  new RefusedError(
    refuse(
      'nested_repository',
      `${folder} is not a repository but contains one: ${showName(path)}. Pick that one, or a folder without it.`,
      [showName(path)],
    ),
  )

const tooLarge = (folder: string, limits: { readonly copyBytes: number; readonly copyFiles: number }) =>
  new RefusedError(
    refuse(
      'too_large',
      `${folder} is too large to copy for each task: more than ${limits.copyFiles} files or ${limits.copyBytes} bytes. Make it a git repository, or pick a smaller folder.`,
    ),
  )
