import { open } from 'node:fs/promises'

/** Puts a folder's names on the disk. Without it a rename may be undone by a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
