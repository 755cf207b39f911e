import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from './git/git-command.ts'
import { asRefusal, type Refusal } from './refusal.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export type MadeProject = { readonly ok: true; readonly folder: string } | Refusal

const COMMITTER = ['-c', 'user.name=Clawboo', '-c', 'user.email=clawboo@localhost']

/**
 * Creates a repository in a new folder, with these files as its first commit: a plain folder could be part of another
 * repository. Removes everything after a failure.
 */
export async function makeProject(
  { program }: WorktreesContext,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<MadeProject> {
  await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 })
  // Fails if the folder exists, because it may belong to someone.
  await mkdir(folder, { mode: 0o700 })
  const made = await asRefusal(async () => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const git = (...args: string[]) => runGit(program, args, { cwd: folder })
    await git('init', '-q', '--template=', '-b', 'main')
    await git('add', '--all')
    await git(...COMMITTER, 'commit', '-q', '-m', 'Initial commit')
    return { ok: true as const, folder }
  })
  if (!made.ok) await rm(folder, { recursive: true, force: true })
  return made
}
