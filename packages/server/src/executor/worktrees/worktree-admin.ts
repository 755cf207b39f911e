import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder that the repository keeps about the worktree at `files`, found by what it says; null when there is none. */
export async function adminFolderOf(commonDir: string, files: string): Promise<string | null> {
  const all = join(commonDir, 'worktrees')
  for (const name of await readdir(all).catch(() => [])) {
    const text = await readFile(join(all, name, 'gitdir'), 'utf8').catch(() => '')
    if (text.replace(/\n$/, '') === join(files, '.git')) return join(all, name)
  }
  return null
}
