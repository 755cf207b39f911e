import { join } from 'node:path'
import { createPlainFiles, type PlainFiles } from '../bootstrap/plain-file.ts'
import type { Skill, SkillRoot } from './skill.ts'
import { type FolderProblem, type FolderScan, SKILL_FILE, type SkillFolder, scanSkillRoot } from './skill-folders.ts'
import { frontMatterOf, parseSkillHead, type SkillHeadResult } from './skill-front-matter.ts'

export interface SkillLimits {
  /** The most folders to check in one root. */
  readonly maxCandidates: number
  /** The most skills to take from one root. */
  readonly maxSkills: number
  /** The largest size of a SKILL.md. */
  readonly maxBytes: number
}

export const SKILL_LIMITS: SkillLimits = { maxCandidates: 300, maxSkills: 200, maxBytes: 256_000 }

export interface FoundSkills {
  /** Sorted by name, one for each name. */
  readonly skills: readonly Skill[]
  /** The skipped files and the reasons, for the person. */
  readonly problems: readonly FolderProblem[]
}

/** Caches files and parsed front matter. Reads a file again only if it has changed. */
export interface SkillReader {
  readonly files: PlainFiles
  /** Scans of the bundled roots, by path. They do not change while the program runs. */
  readonly bundled: Map<string, Promise<FolderScan>>
  head(path: string, frontMatter: string): Promise<SkillHeadResult>
}

const CACHED_HEADS = 2_000

export function createSkillReader(limits: SkillLimits = SKILL_LIMITS): SkillReader {
  const heads = new Map<string, { frontMatter: string; result: SkillHeadResult }>()
  return {
    bundled: new Map(),
    // Package managers install files as hard links, and the owner of the folder chose to install them.
    files: createPlainFiles({ maxBytes: limits.maxBytes, mayBeHardLinked: true, maxKeptChars: 4 * 1024 * 1024 }),
    async head(path, frontMatter) {
      const known = heads.get(path)
      if (known?.frontMatter === frontMatter) return known.result
      const result = await parseSkillHead(frontMatter)
      if (heads.size >= CACHED_HEADS) heads.clear()
      heads.set(path, { frontMatter, result })
      return result
    },
  }
}

/** Finds the skills of all roots. Of two skills with one name, the one in the earlier root wins. Never rejects. */
export async function findSkills(
  roots: readonly SkillRoot[],
  reader: SkillReader,
  limits: SkillLimits = SKILL_LIMITS,
): Promise<FoundSkills> {
  const problems: FolderProblem[] = []
  const byName = new Map<string, Skill>()
  const perRoot = await Promise.all(roots.map((root) => skillsOfRoot(root, limits, reader)))
  for (const found of perRoot) {
    problems.push(...found.problems)
    for (const skill of found.skills) if (!byName.has(skill.name)) byName.set(skill.name, skill)
  }
  const skills = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  return { skills, problems }
}

async function skillsOfRoot(root: SkillRoot, limits: SkillLimits, reader: SkillReader): Promise<FoundSkills> {
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

function scanOnce(root: SkillRoot, { maxCandidates }: SkillLimits, reader: SkillReader): Promise<FolderScan> {
  const scan = () => scanSkillRoot(root, reader.files, maxCandidates)
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
