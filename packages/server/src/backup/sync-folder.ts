import { open } from 'node:fs/promises'

/** Flushes a folder's entries to disk. Without this, a power cut may undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
