import { randomBytes } from 'node:crypto'
import { appendFile, copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError, refuse } from '../refusal.ts'
import { lookAt } from '../walk-folder.ts'
import { exists } from './find-repository.ts'
import { type GitCall, type GitOutput, type GitProgram, lineOf, namesOf, runGit, showName } from './git-command.ts'

/**
 * Clawboo's own git folder beside each worktree. Everything that reads or writes files uses it instead of the project's
 * git folder. It defines no filter, driver or text conversion, and its attributes override those of the tree, so that
 * files are stored byte for byte.
 */
export interface Shadow {
  readonly folder: string
  readonly program: GitProgram
  readonly objectFormat: string
  /** The git folder that all worktrees of the project share; null for a copy. */
  readonly commonDir: string | null
}

export interface ShadowCall extends Omit<GitCall, 'cwd' | 'env'> {
  readonly workTree?: string
  readonly index?: string
  /** Writes new objects to the project's repository, where they stay. */
  readonly intoProject?: boolean
  readonly env?: Readonly<Record<string, string>>
}

const ATTRIBUTES = '* -text !eol -ident !filter !working-tree-encoding !diff !merge\n'

export async function createShadow(shadow: Shadow): Promise<void> {
  const { folder, program, objectFormat } = shadow
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await runGit(program, ['init', '-q', '--bare', '--template=', `--object-format=${objectFormat}`, '.'], {
    cwd: folder,
  })
  await mkdir(join(folder, 'info'), { recursive: true })
  await writeFile(join(folder, 'info', 'attributes'), ATTRIBUTES)
  // A file name that other systems read as `.git` must not prevent a diff. A merge refuses it.
  await appendFile(join(folder, 'config'), '[core]\n\tprotectNTFS = false\n\tprotectHFS = false\n')
  if (shadow.commonDir === null) return
  await copyExcludes(shadow.commonDir, folder)
}

/** Copies the exclude rules that a person set for this repository only, so that those files stay excluded. */
async function copyExcludes(commonDir: string, folder: string): Promise<void> {
  const excludes = join(commonDir, 'info', 'exclude')
  if (await exists(excludes)) await copyFile(excludes, join(folder, 'info', 'exclude'))
}

export async function shadowGit(shadow: Shadow, args: readonly string[], call: ShadowCall = {}): Promise<GitOutput> {
  const { workTree, index, intoProject, env, ...rest } = call
  const { commonDir } = shadow
  const own = join(shadow.folder, 'objects')
  const projectObjects = commonDir === null ? null : join(commonDir, 'objects')
  // Git does not write an object that an alternate already has. If our objects were an alternate, the project would
  // lack some of them.
  const writesToProject = intoProject === true && projectObjects !== null
  return runGit(shadow.program, args, {
    ...rest,
    cwd: workTree ?? shadow.folder,
    env: {
      GIT_DIR: shadow.folder,
      GIT_OBJECT_DIRECTORY: writesToProject ? projectObjects : own,
      ...(projectObjects === null || writesToProject
        ? {}
        : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(projectObjects) }),
      ...(commonDir !== null && (await exists(join(commonDir, 'shallow')))
        ? { GIT_SHALLOW_FILE: join(commonDir, 'shallow') }
        : {}),
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      ...env,
    },
  })
}

/** Without quotes, a colon or a newline would split the path. */
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`

export interface TreeEntry {
  readonly mode: string
  readonly id: string
}

/** The files of a tree by their raw paths. */
export async function readTree(shadow: Shadow, tree: string): Promise<Map<string, TreeEntry>> {
  const { stdout } = await shadowGit(shadow, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return new Map(
    namesOf(stdout).map((line) => {
      const [mode, , id] = line.slice(0, line.indexOf('\t')).split(' ')
      return [line.slice(line.indexOf('\t') + 1), { mode: mode!, id: id! }]
    }),
  )
}

export interface Snapshot {
  readonly tree: string
  /** Folders that are separate repositories. Their files are not in the tree. */
  readonly repositories: readonly string[]
}

export interface SnapshotOptions {
  readonly workTree: string
  /** A tree. Its files are part of the snapshot even when they are ignored. */
  readonly from: string
  /** An index. Its files are part of the snapshot even when they are ignored. */
  readonly alsoIn?: string | null
  readonly mostFileBytes: number
  readonly intoProject?: boolean
  /** Includes ignored files. */
  readonly isWhole?: boolean
}

/**
 * Stores the current files as a tree. `git add` would run git inside a submodule, with the submodule's configuration.
 */
export async function takeSnapshot(shadow: Shadow, options: SnapshotOptions): Promise<Snapshot> {
  const index = join(shadow.folder, `index-${randomBytes(6).toString('hex')}`)
  const call = { workTree: options.workTree, index, intoProject: options.intoProject }
  try {
    await shadowGit(shadow, ['read-tree', options.from], call)
    const links = new Set(
      namesOf((await shadowGit(shadow, ['ls-files', '-s', '-z'], call)).stdout)
        .filter((line) => line.startsWith('160000 '))
        .map((line) => line.slice(line.indexOf('\t') + 1)),
    )
    const rules = options.isWhole ? [] : ['--exclude-standard']
    const listed = await shadowGit(shadow, ['ls-files', '-c', '-o', ...rules, '-z'], call)
    const names = new Set([...namesOf(listed.stdout), ...(await stagedIn(shadow, options.alsoIn ?? null))])
    const { present, gone, repositories } = await sortByState(options, names, links)
    // Removals first: a folder can replace a file.
    const nothing = '0'.repeat(shadow.objectFormat === 'sha256' ? 64 : 40)
    const removals = gone.map((path) => `0 ${nothing}\t${path}\0`).join('')
    await shadowGit(shadow, ['update-index', '-z', '--index-info'], { ...call, input: raw(removals) })
    const additions = raw(present.map((path) => `${path}\0`).join(''))
    await shadowGit(shadow, ['update-index', '--add', '--replace', '-z', '--stdin'], { ...call, input: additions })
    return { tree: lineOf(await shadowGit(shadow, ['write-tree'], call)), repositories }
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

async function stagedIn(shadow: Shadow, index: string | null): Promise<string[]> {
  if (index === null) return []
  const listed = await shadowGit(shadow, ['ls-files', '-s', '-z'], { index, answers: [128] })
  return namesOf(listed.stdout)
    .filter((line) => !line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1))
}

const raw = (text: string) => Buffer.from(text, 'latin1')

async function sortByState(options: SnapshotOptions, names: ReadonlySet<string>, links: ReadonlySet<string>) {
  const present: string[] = []
  const gone: string[] = []
  const repositories: string[] = []
  const isBehindLink = behindLinks(options.workTree)
  for (const name of names) {
    if (name.endsWith('/')) {
      repositories.push(name.slice(0, -1))
      continue
    }
    const found = (await isBehindLink(name)) ? null : await lookAt(options.workTree, name)
    if (links.has(name)) {
      // The folder of a submodule is empty here. If the agent has put a repository there, it is not read.
      if (found === null) gone.push(name)
      else if (found !== 'folder') present.push(name)
      else if (await lookAt(options.workTree, `${name}/.git`)) repositories.push(name)
      continue
    }
    if (found === null || found === 'folder' || found.kind === 'special') gone.push(name)
    else if (found.size > options.mostFileBytes) throw tooLarge(name, options.mostFileBytes)
    else present.push(name)
  }
  return { present, gone, repositories }
}

/**
 * Finds tracked files below a folder that became a link: they count as removed. The target of the link is never read.
 */
function behindLinks(folder: string): (path: string) => Promise<boolean> {
  const known = new Map<string, boolean>()
  const isFolder = async (path: string): Promise<boolean> => {
    const before = known.get(path)
    if (before !== undefined) return before
    const up = path.lastIndexOf('/')
    const is = (up === -1 || (await isFolder(path.slice(0, up)))) && (await lookAt(folder, path)) === 'folder'
    known.set(path, is)
    return is
  }
  return async (path) => path.includes('/') && !(await isFolder(path.slice(0, path.lastIndexOf('/'))))
}

const tooLarge = (path: string, most: number) =>
  new RefusedError(
    refuse('too_large', `${showName(path)} is larger than ${most} bytes and cannot be compared.`, [showName(path)]),
  )
