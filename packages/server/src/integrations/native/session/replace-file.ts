import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file, readable by its owner only. A reader, or a crash, finds either the old or the new content, never a part.
 * Replaces a symbolic link instead of following it. Only one caller at a time may replace the same file.
 */
export async function replaceFile(file: string, write: (fresh: FileHandle) => Promise<void>): Promise<void> {
  const name = `${file}.new`
  await rm(name, { force: true })
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const fresh = await open(name, flags, 0o600)
  try {
    try {
      await write(fresh)
      await fresh.sync()
    } finally {
      await fresh.close()
    }
    await rename(name, file)
  } catch (error) {
    await rm(name, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

/** Makes a new or changed file name durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  // Some systems cannot sync a folder. The content of the file is synced already.
  await handle?.sync().catch(() => {})
  await handle?.close()
}
