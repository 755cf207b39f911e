import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that only its owner can read. After a crash, the file is the old one or the new one, never a part. A
 * link at the name is replaced, not followed.
 */
export async function writeWholeFile(file: string, content: string | Buffer): Promise<void> {
  const fresh = `${file}.${randomBytes(4).toString('hex')}.new`
  const handle = await open(
    fresh,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  )
  try {
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}
