import { link, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../session/replace-file.ts'
import { lookAt } from './look-at-path.ts'

/**
 * Returns false and changes nothing when the path exists, even as a link. A crash leaves the complete file or none: an
 * empty file would look like the user's own.
 */
export async function writeNewFile(path: string, text: string): Promise<boolean> {
  if (lookAt(path) !== null) return false
  const draft = draftOf(path)
  await replaceFile(draft, (fresh) => fresh.writeFile(text))
  try {
    // A rename would replace a file that someone else has written in the meantime.
    await link(draft, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && !NO_LINKS.includes(code)) throw error
    if (lookAt(path) !== null) return false
    await rename(draft, path)
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** The error codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/** Removes the draft that a crash left behind. As a second hard link it would make the file itself unreadable. */
export async function finishNewFile(path: string): Promise<void> {
  const draft = draftOf(path)
  if (lookAt(draft) !== null) await rm(draft, { force: true })
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.clawboo-draft`)
}
