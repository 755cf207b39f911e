import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folder that the repository keeps about the worktree at `files`, found by what it says; null when there is none. */
export async function adminFolderOf(commonDir: string, files: string): Promise<string | null> {
  const all = join(commonDir, 'worktrees')
  const wanted = join(
    await realpath(dirname(files)).catch(() => dirname(files)),
    files.slice(dirname(files).length + 1),
  )
  for (const name of await readdir(all).catch(() => [])) {
    const text = await readFile(join(all, name, 'gitdir'), 'utf8').catch(() => '')
    const said = dirname(text.replace(/\n$/, ''))
    if (said === wanted || said === files) return join(all, name)
  }
  return null
}
