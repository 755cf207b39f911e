import { type Dirent, opendirSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { lookAt, whereLeads } from '../bootstrap/look-at-path.ts'
import type { PlainFile, PlainFiles } from '../bootstrap/plain-file.ts'
import type { SkillLocation } from './skill.ts'
import type { SkillRoot } from './skill-roots.ts'

export const SKILL_FILE = 'SKILL.md'

export interface SkillFolder {
  /** As it is listed. */
  readonly folder: string
  /** Where SKILL.md really is; no link on the way. */
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

export interface ScanOptions {
  readonly files: PlainFiles
  readonly maxCandidates: number
  readonly allowedTargets: readonly string[]
}

/** In these a person may keep links to skills that live elsewhere. */
const MAY_LINK_ANYWHERE: ReadonlySet<SkillLocation> = new Set(['personal', 'managed'])

/** Finds the folders of one root that hold a skill, by name. Never rejects; a root that is not there has none. */
export async function scanSkillRoot(root: SkillRoot, options: ScanOptions): Promise<FolderScan> {
  const problems: FolderProblem[] = []
  const real = whereLeads(root.path)
  if (real === null) return { folders: [], problems }
  const within = root.within === null ? null : whereLeads(root.within)
  if (root.within !== null && (within === null || !isInside(within, real))) {
    return { folders: [], problems: [{ path: root.path, problem: 'leads out of the workspace' }] }
  }
  const scan = new RootScan(root, real, options, problems)
  const folders = await scan.run()
  // A folder may be looked at in two roles.
  const once = new Map(problems.map((entry) => [`${entry.path}\0${entry.problem}`, entry]))
  return { folders, problems: [...once.values()] }
}

class RootScan {
  readonly #root: SkillRoot
  readonly #real: string
  readonly #targets: readonly string[]
  readonly #problems: FolderProblem[]
  readonly #maxCandidates: number
  readonly #files: PlainFiles
  #candidates = 0

  constructor(root: SkillRoot, real: string, options: ScanOptions, problems: FolderProblem[]) {
    this.#root = root
    this.#real = real
    this.#targets = root.location === 'bundled' ? [] : options.allowedTargets
    this.#maxCandidates = options.maxCandidates
    this.#files = options.files
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

  /** The skills in the folders of a folder; with `grouped`, also one level further down. */
  async #below(folder: string, real: string, grouped: boolean): Promise<SkillFolder[]> {
    const entries = this.#foldersIn(folder, real)
    const looked = await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name)
        const inside = entry.isSymbolicLink() ? this.#enter(path, join(real, entry.name)) : join(real, entry.name)
        return { path, inside, skill: inside === null ? null : await this.#skillIn(path, inside) }
      }),
    )
    const found: SkillFolder[] = []
    // One group after the other: which of them share what is left of the limit must not depend on the disk's speed.
    for (const { path, inside, skill } of looked) {
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
        problem: `has more than ${this.#maxCandidates} folders; the rest was not looked at`,
      })
    }
    return wanted.slice(0, room)
  }

  /** Where a folder really is, if it may be used. */
  #enter(path: string, real: string): string | null {
    const stats = lookAt(real)
    if (stats === null) return null
    if (stats.isDirectory()) return real
    if (!stats.isSymbolicLink()) return null
    const target = whereLeads(real)
    if (target === null || !lookAt(target)?.isDirectory()) return null
    const allowed =
      MAY_LINK_ANYWHERE.has(this.#root.location) ||
      [this.#real, ...this.#targets].some((place) => isInside(place, target))
    if (!allowed) this.#problems.push({ path, problem: 'is a link that leads out of its root' })
    return allowed ? target : null
  }

  async #skillIn(folder: string, real: string): Promise<SkillFolder | null> {
    const path = join(real, SKILL_FILE)
    const file = await this.#files.read(path)
    if (file.absence === 'missing') return null
    if (file.absence !== 'escapes') return { folder, realFile: path, file }
    const target = whereLeads(path)
    if (target !== null && isInside(real, target)) {
      return { folder, realFile: target, file: await this.#files.read(target) }
    }
    this.#problems.push({ path: join(folder, SKILL_FILE), problem: 'is a link that leads out of its folder' })
    return null
  }
}

/** A folder may hold far more files than skills. */
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
    // A folder that cannot be listed, or vanishes meanwhile, holds nothing to offer.
  }
  return { entries, more: false }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
