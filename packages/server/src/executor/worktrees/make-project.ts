import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from './git-command.ts'
import { asRefusal, type Refusal } from './workplace.ts'
import type { WorktreesContext } from './worktrees.ts'

export type MadeProject = { readonly ok: true; readonly folder: string } | Refusal

const COMMITTER = ['-c', 'user.name=Clawboo', '-c', 'user.email=clawboo@localhost']

/**
 * Makes a repository in a folder that is not there yet, with these files as its first commit. A repository of its own,
 * because a plain folder could lie in somebody else's. When it cannot be made, nothing of it is left.
 */
export async function makeProject(
  { program }: WorktreesContext,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<MadeProject> {
  await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 })
  // Fails when it is there: it is somebody's then.
  await mkdir(folder, { mode: 0o700 })
  const made = await asRefusal(async () => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const git = (...args: string[]) => runGit(program, args, { cwd: folder })
    await git('init', '-q', '--template=', '-b', 'main')
    await git('add', '--all')
    await git(...COMMITTER, 'commit', '-q', '-m', 'Begin')
    return { ok: true as const, folder }
  })
  if (!made.ok) await rm(folder, { recursive: true, force: true })
  return made
}
