import { type Dirent, opendirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lookAt, realPathOf } from '../bootstrap/look-at-path.ts'
import type { PlainFile, PlainFiles } from '../bootstrap/plain-file.ts'
import { isInside } from '../exec/inside-folder.ts'
import type { SkillLocation, SkillRoot } from './skill.ts'

export const SKILL_FILE = 'SKILL.md'

export interface SkillFolder {
  /** The path as listed, possibly through a link. */
  readonly folder: string
  /** The real path of SKILL.md. */
  readonly realFile: string
  readonly file: PlainFile
}

export interface FolderProblem {
  readonly path: string
  readonly problem: string
}

export interface FolderScan {
  readonly folders: readonly SkillFolder[]
  readonly problems: readonly FolderProblem[]
}

/** Locations in which a person may keep links to skills elsewhere. */
const MAY_LINK_ANYWHERE: ReadonlySet<SkillLocation> = new Set(['personal', 'managed'])

/** Finds the skill folders of one root, sorted by name. Never rejects. A missing root has no skills. */
export async function scanSkillRoot(root: SkillRoot, files: PlainFiles, maxCandidates: number): Promise<FolderScan> {
  const problems: FolderProblem[] = []
  const real = realPathOf(root.path)
  if (real === null) return { folders: [], problems }
  const within = root.within === null ? null : realPathOf(root.within)
  if (root.within !== null && (within === null || !isInside(within, real))) {
    return { folders: [], problems: [{ path: root.path, problem: 'is a link to a place outside the workspace' }] }
  }
  const scan = new RootScan(root, real, files, maxCandidates, problems)
  const folders = await scan.run()
  // A folder can be scanned twice, as `skills` and as part of the root, and report the same problem twice.
  const once = new Map(problems.map((entry) => [`${entry.path}\0${entry.problem}`, entry]))
  return { folders, problems: [...once.values()] }
}

class RootScan {
  readonly #root: SkillRoot
  readonly #real: string
  readonly #problems: FolderProblem[]
  readonly #maxCandidates: number
  readonly #files: PlainFiles
  #candidates = 0

  constructor(root: SkillRoot, real: string, files: PlainFiles, maxCandidates: number, problems: FolderProblem[]) {
    this.#root = root
    this.#real = real
    this.#files = files
    this.#maxCandidates = maxCandidates
    this.#problems = problems
  }

  async run(): Promise<SkillFolder[]> {
    const own = await this.#skillIn(this.#root.path, this.#real)
    if (own) return [own]
    const nested = this.#enter(join(this.#root.path, 'skills'), join(this.#real, 'skills'))
    if (nested) {
      const found = await this.#below(join(this.#root.path, 'skills'), nested, true)
      if (found.some(({ folder }) => dirname(folder) === join(this.#root.path, 'skills'))) return found
      this.#candidates = 0
    }
    return this.#below(this.#root.path, this.#real, true)
  }

  /** Finds the skills in the subfolders of a folder; with `grouped`, also one level further down. */
  async #below(folder: string, real: string, grouped: boolean): Promise<SkillFolder[]> {
    const entries = this.#foldersIn(folder, real)
    const checked = await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name)
        const inside = entry.isSymbolicLink() ? this.#enter(path, join(real, entry.name)) : join(real, entry.name)
        return { path, inside, skill: inside === null ? null : await this.#skillIn(path, inside) }
      }),
    )
    const found: SkillFolder[] = []
    // Scan one group after the other: the speed of the disk must not decide which groups fit into the limit.
    for (const { path, inside, skill } of checked) {
      if (skill) found.push(skill)
      else if (inside !== null && grouped) found.push(...(await this.#below(path, inside, false)))
    }
    return found
  }

  #foldersIn(folder: string, real: string): Dirent[] {
    const { entries, more } = listFolder(real, scanLimit(this.#maxCandidates))
    const wanted = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .sort((one, other) => (one.name < other.name ? -1 : 1))
    const room = Math.max(0, this.#maxCandidates - this.#candidates)
    this.#candidates += Math.min(room, wanted.length)
    if (more || wanted.length > room) {
      this.#problems.push({
        path: folder,
        problem: `has more than ${this.#maxCandidates} folders; the rest was skipped`,
      })
    }
    return wanted.slice(0, room)
  }

  /** The real path of a folder; null = it must not be used. */
  #enter(path: string, real: string): string | null {
    const stats = lookAt(real)
    if (stats === null) return null
    if (stats.isDirectory()) return real
    if (!stats.isSymbolicLink()) return null
    const target = realPathOf(real)
    if (target === null || !lookAt(target)?.isDirectory()) return null
    const allowed = MAY_LINK_ANYWHERE.has(this.#root.location) || isInside(this.#real, target)
    if (!allowed) this.#problems.push({ path, problem: 'is a link to a place outside its root' })
    return allowed ? target : null
  }

  async #skillIn(folder: string, real: string): Promise<SkillFolder | null> {
    const path = join(real, SKILL_FILE)
    const file = await this.#files.read(path)
    if (file.absence === 'missing') return null
    if (file.absence !== 'escapes') return { folder, realFile: path, file }
    const target = realPathOf(path)
    if (target !== null && isInside(real, target)) {
      return { folder, realFile: target, file: await this.#files.read(target) }
    }
    this.#problems.push({ path: join(folder, SKILL_FILE), problem: 'is a link to a place outside its folder' })
    return null
  }
}

/** Higher than the number of candidates, because a folder can contain far more files than skills. */
function scanLimit(maxCandidates: number): number {
  return Math.min(10_000, Math.max(1_000, maxCandidates * 10))
}

function listFolder(path: string, limit: number): { entries: Dirent[]; more: boolean } {
  const entries: Dirent[] = []
  try {
    using folder = opendirSync(path, { bufferSize: 256 })
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === limit) return { entries, more: true }
      entries.push(entry)
    }
  } catch {
    // A folder that cannot be listed, or disappears meanwhile, has no skills.
  }
  return { entries, more: false }
}
