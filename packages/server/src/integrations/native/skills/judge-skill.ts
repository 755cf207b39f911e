import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Skill } from './skill.ts'

/** The facts that decide whether a skill is eligible. */
export interface SkillContext {
  /** The keys of the skills that are switched off. */
  readonly disabled: readonly string[]
  /** As in `process.platform`. */
  readonly platform: string
  /** Whether a program with this name is on PATH. */
  readonly hasProgram: (name: string) => boolean
  /** The environment of a child process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The agent's own list of skills; null = all. */
  readonly allowedSkills: readonly string[] | null
}

export type SkillVerdict = { readonly eligible: true } | { readonly eligible: false; readonly reason: string }

/** The reason completes a sentence that begins with the name of the skill. */
export function judgeSkill(skill: Skill, context: SkillContext): SkillVerdict {
  const reason =
    (context.disabled.includes(skill.gate.key) ? 'is switched off' : null) ??
    wrongPlatform(skill, context) ??
    (skill.gate.always ? null : missingRequirement(skill, context)) ??
    notListed(skill, context)
  return reason === null ? { eligible: true } : { eligible: false, reason }
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = { macos: 'darwin', windows: 'win32' }

function wrongPlatform({ gate }: Skill, { platform }: SkillContext): string | null {
  const wanted = gate.os.map((name) => PLATFORM_NAMES[name.toLowerCase()] ?? name.toLowerCase())
  return wanted.length > 0 && !wanted.includes(platform)
    ? `works only on ${wanted.join(', ')}, not on ${platform}`
    : null
}

function missingRequirement({ gate }: Skill, { hasProgram, environment }: SkillContext): string | null {
  const program = gate.bins.find((name) => !hasProgram(name))
  if (program !== undefined) return `needs the program ${program} on PATH`
  if (gate.anyBins.length > 0 && !gate.anyBins.some((name) => hasProgram(name))) {
    return `needs one of the programs ${gate.anyBins.join(', ')} on PATH`
  }
  const variable = gate.env.find((name) => !Object.hasOwn(environment, name) || !environment[name])
  if (variable !== undefined) return `needs the variable ${variable}`
  // There are no settings for skills.
  return gate.config.length === 0 ? null : `needs the setting ${gate.config[0]}`
}

function notListed(skill: Skill, { allowedSkills }: SkillContext): string | null {
  const listed = allowedSkills === null || allowedSkills.includes(skill.name) || allowedSkills.includes(skill.gate.key)
  return listed ? null : 'is not on the list of skills of this agent'
}

/** Looks up each name once. Create a lookup for each run, so that newly installed programs are found. */
export function createProgramLookup(path: string): (name: string) => boolean {
  // An empty or relative entry would search the folder that the server was started in.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  const known = new Map<string, boolean>()
  return (name) => {
    // A name with a separator could point outside PATH.
    if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') return false
    const found = known.get(name) ?? folders.some((folder) => isExecutable(join(folder, name)))
    known.set(name, found)
    return found
  }
}

function isExecutable(file: string): boolean {
  try {
    // Most folders of PATH do not contain the program, and creating an error is expensive.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
