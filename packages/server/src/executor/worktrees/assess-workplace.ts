import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from './find-repository.ts'
import { namesOf, showName } from './git-command.ts'
import { readTree, type Shadow, shadowGit, type TreeEntry } from './shadow-repository.ts'
import { blobIdOf, modeOf, walkFolder } from './walk-folder.ts'
import { shadowOf, type WorkplacePlaces, type WorkplaceRecord } from './workplace-record.ts'
import { knownCommits, notInProject, readIndex, readWorktreeState } from './worktree-state.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface Verdict {
  /** Why it has to stay; null when everything in it is in the project. */
  readonly because: string | null
  /** Commits that are no part of the result but must stay reachable. */
  readonly leftOver: readonly string[]
}

const stay = (because: string): Verdict => ({ because, leftOver: [] })

/** Whether a workplace can go without anything being lost. In doubt it stays. */
export async function assessWorkplace(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
  { dropIgnored = false }: { readonly dropIgnored?: boolean },
): Promise<Verdict> {
  const shadow = shadowOf(context, places, record)
  if (!(await exists(places.files))) return stay('Its folder was moved or deleted.')
  if (record.merging) return stay('A merge of it was cut short. Merge it again.')
  const { workplace } = record
  if (workplace.kind === 'copy') {
    if (await exists(join(places.files, '.git'))) return stay('It was made a repository of its own.')
    const because = await firstDifference(shadow, places.files, record.merged ?? workplace.base, dropIgnored)
    return { because, leftOver: [] }
  }
  const state = await readWorktreeState(context.program, places, record)
  if (!state || !record.repository) return stay('Its repository is gone, or does not know it any more.')
  const link = await readFile(join(places.files, '.git'), 'utf8').catch(() => '')
  if (link.trim() !== `gitdir: ${state.admin}`) return stay('It was made a repository of its own.')
  if (state.isLocked) return stay('The worktree is locked.')
  if (state.operation) return stay(`The worktree is in the middle of ${state.operation}.`)
  const { commonDir } = record.repository
  const tips = [state.head, ...(state.tip ? [state.tip] : [])]
  if ((await notInProject(context.program, commonDir, tips)).length > 0) {
    return stay(`It has commits that no branch of the project has; they are on ${workplace.branch}.`)
  }
  if (!(await isIndexOf(shadow, join(state.admin, 'index'), state.head))) return stay('It has staged changes.')
  const because = await firstDifference(shadow, places.files, state.head, dropIgnored)
  if (because !== null) return stay(because)
  const known = await knownCommits(context.program, commonDir, state, workplace.branch)
  return { because: null, leftOver: await notInProject(context.program, commonDir, known) }
}

async function isIndexOf(shadow: Shadow, index: string, commit: string): Promise<boolean> {
  const listed = await shadowGit(shadow, ['ls-files', '-s', '-z'], { index, answers: [128] })
  const staged = listed.code === 0 ? await readIndex(listed.stdout) : null
  const tree = await readTree(shadow, commit)
  if (!staged || staged.size !== tree.size) return false
  return [...staged].every(([path, entry]) => isSame(tree.get(path), entry.mode, entry.id))
}

const isSame = (entry: TreeEntry | undefined, mode: string, id: string) => entry?.mode === mode && entry.id === id

/**
 * Reads every file, because an index only guesses from times and sizes, and can be told to look away. Null when the
 * folder holds exactly the tree.
 */
async function firstDifference(
  shadow: Shadow,
  folder: string,
  tree: string,
  dropIgnored: boolean,
): Promise<string | null> {
  const expected = await readTree(shadow, tree)
  const extra: string[] = []
  for await (const found of walkFolder(folder)) {
    const name = showName(found.path)
    if (found.kind === 'repository') return `${name} is a repository of its own.`
    const entry = expected.get(found.path)
    if (!entry) extra.push(found.path)
    else if (found.kind === 'special') return `${name} is changed and not in the project.`
    else if (!isSame(entry, modeOf(found), await blobIdOf(folder, found, shadow.objectFormat))) {
      return `${name} is changed and not in the project.`
    }
    expected.delete(found.path)
  }
  const missing = [...expected].find(([, entry]) => entry.mode !== '160000')
  if (missing) return `${showName(missing[0])} is deleted here and not in the project.`
  if (extra.length === 0) return null
  const ignored = await ignoredIn(shadow, folder, tree)
  const change = extra.find((path) => !ignored.has(path))
  if (change !== undefined) return `${showName(change)} is new and not in the project.`
  return dropIgnored ? null : `It holds ignored files, such as ${showName(extra[0]!)}.`
}

async function ignoredIn(shadow: Shadow, folder: string, tree: string): Promise<ReadonlySet<string>> {
  const call = { workTree: folder, index: join(shadow.folder, 'index-ignored') }
  await shadowGit(shadow, ['read-tree', tree], call)
  const { stdout } = await shadowGit(shadow, ['ls-files', '-o', '-i', '--exclude-standard', '-z'], call)
  return new Set(namesOf(stdout))
}
