import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file for its owner alone, so that a reader, or a crash, finds the old one or the new one and never half of
 * one. A link that stands at the name is replaced, not followed. One caller at a time for one file.
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

/** Makes a new or changed name durable. Not every system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
