import { link, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../session/replace-file.ts'
import { lookAt } from './look-at-path.ts'

/**
 * False when there is one already; what stands there is left as it is, a link too. A crash leaves the whole file or none:
 * an empty one would pass for somebody's own.
 */
export async function writeNewFile(path: string, text: string): Promise<boolean> {
  if (lookAt(path) !== null) return false
  const draft = draftOf(path)
  await replaceFile(draft, (fresh) => fresh.writeFile(text))
  try {
    // Not renamed: that would replace what somebody else wrote in the meantime.
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

/** Not every file system has a second name for a file. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/** Removes what a crash left of a new file beside it, and with it the second name that makes the file refused. */
export async function finishNewFile(path: string): Promise<void> {
  const draft = draftOf(path)
  if (lookAt(draft) !== null) await rm(draft, { force: true })
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.clawboo-draft`)
}
