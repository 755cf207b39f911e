import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { createPlainFiles, type PlainFiles } from '../bootstrap/plain-file.ts'
import type { Skill } from './skill.ts'
import { type FolderProblem, type FolderScan, SKILL_FILE, type SkillFolder, scanSkillRoot } from './skill-folders.ts'
import { frontMatterOf, parseSkillHead, type SkillHeadResult } from './skill-front-matter.ts'
import type { SkillRoot } from './skill-roots.ts'

export interface SkillLimits {
  /** Folders looked at in one root. */
  readonly maxCandidates: number
  /** Skills taken from one root. */
  readonly maxSkills: number
  /** Of one SKILL.md. */
  readonly maxBytes: number
}

export const SKILL_LIMITS: SkillLimits = { maxCandidates: 300, maxSkills: 200, maxBytes: 256_000 }

export interface FoundSkills {
  /** One per name, by name. */
  readonly skills: readonly Skill[]
  /** What was left out and why, for the person. */
  readonly problems: readonly FolderProblem[]
}

/** Remembers what it read, and looks again at what changed. Its creator owns it. */
export interface SkillReader {
  readonly files: PlainFiles
  /** The roots that ship with the program, by path: nothing in them changes while it runs. */
  readonly bundled: Map<string, Promise<FolderScan>>
  head(path: string, frontMatter: string): Promise<SkillHeadResult>
}

const REMEMBERED_HEADS = 2_000

export function createSkillReader(limits: SkillLimits = SKILL_LIMITS): SkillReader {
  const heads = new Map<string, { frontMatter: string; result: SkillHeadResult }>()
  return {
    bundled: new Map(),
    // Package managers fill folders with hard links; the folder's owner chose them.
    files: createPlainFiles({ maxBytes: limits.maxBytes, mayBeHardLinked: true, maxKeptChars: 4 * 1024 * 1024 }),
    async head(path, frontMatter) {
      const known = heads.get(path)
      if (known?.frontMatter === frontMatter) return known.result
      const result = await parseSkillHead(frontMatter)
      if (heads.size >= REMEMBERED_HEADS) heads.clear()
      heads.set(path, { frontMatter, result })
      return result
    },
  }
}

/** The skills of all roots as they are now; of two with one name, that of the earlier root. Never rejects. */
export async function findSkills(
  roots: readonly SkillRoot[],
  options: {
    readonly reader: SkillReader
    readonly limits?: SkillLimits
    /** Places outside a root to which links may lead. */
    readonly allowSymlinkTargets?: readonly string[]
  },
): Promise<FoundSkills> {
  const limits = options.limits ?? SKILL_LIMITS
  const targets = options.allowSymlinkTargets ?? []
  const allowedTargets = await Promise.all(targets.map((path) => realpath(path).catch(() => path)))
  const problems: FolderProblem[] = []
  const byName = new Map<string, Skill>()
  const perRoot = await Promise.all(
    roots.map((root) => skillsOfRoot(root, { ...limits, allowedTargets }, options.reader)),
  )
  for (const found of perRoot) {
    problems.push(...found.problems)
    for (const skill of found.skills) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  }
  const skills = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  return { skills, problems }
}

async function skillsOfRoot(
  root: SkillRoot,
  limits: SkillLimits & { readonly allowedTargets: readonly string[] },
  reader: SkillReader,
): Promise<FoundSkills> {
  const scan = await scanOnce(root, limits, reader)
  const problems = [...scan.problems]
  const read = await Promise.all(scan.folders.map((folder) => readSkill(folder, root, reader)))
  const names = new Map<string, string>()
  const skills = read.flatMap((result) => {
    const path = 'name' in result ? names.get(result.name) : undefined
    if ('name' in result && path === undefined) {
      names.set(result.name, result.file)
      return [result]
    }
    problems.push('name' in result ? { path: result.file, problem: `has the same name as ${path}` } : result)
    return []
  })
  if (skills.length > limits.maxSkills) {
    problems.push({
      path: root.path,
      problem: `has ${skills.length} skills; only the first ${limits.maxSkills} are used`,
    })
  }
  return { skills: skills.slice(0, limits.maxSkills), problems }
}

function scanOnce(
  root: SkillRoot,
  limits: SkillLimits & { readonly allowedTargets: readonly string[] },
  reader: SkillReader,
): Promise<FolderScan> {
  const scan = () => scanSkillRoot(root, { ...limits, files: reader.files })
  if (root.location !== 'bundled') return scan()
  const known = reader.bundled.get(root.path) ?? scan()
  reader.bundled.set(root.path, known)
  return known
}

async function readSkill(place: SkillFolder, root: SkillRoot, reader: SkillReader): Promise<Skill | FolderProblem> {
  const path = join(place.folder, SKILL_FILE)
  const { file } = place
  if (file.text === null) return { path, problem: `cannot be used: ${file.absence}` }
  const frontMatter = frontMatterOf(file.text)
  if (frontMatter === null) return { path, problem: 'has no front matter' }
  const result = await reader.head(place.realFile, frontMatter)
  if ('problem' in result) return { path, problem: `cannot be used: ${result.problem}` }
  return { ...result.head, location: root.location, folder: place.folder, file: path }
}
