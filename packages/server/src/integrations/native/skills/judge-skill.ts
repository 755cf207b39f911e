import { isObject } from '../session/entry.ts'
import { entryOf, type Skill, type SkillEntries } from './skill.ts'

/** The facts that decide whether a skill is eligible. */
export interface SkillContext {
  readonly entries: SkillEntries
  /** Names or keys of the allowed bundled skills; empty = all. */
  readonly allowBundled: readonly string[]
  /** As in `process.platform`. */
  readonly platform: string
  /** Whether a program with this name is on PATH. */
  hasProgram(name: string): boolean
  /** The environment of a child process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settings that a skill can require, by path. */
  readonly config: unknown
  /** The agent's own list of skills; null = all. */
  readonly allowedSkills: readonly string[] | null
}

export type SkillVerdict = { readonly eligible: true } | { readonly eligible: false; readonly reason: string }

/** The reason completes a sentence that begins with the name of the skill. */
export function judgeSkill(skill: Skill, context: SkillContext): SkillVerdict {
  const reason =
    switchedOff(skill, context) ??
    wrongPlatform(skill, context) ??
    (skill.gate.always ? null : missingRequirement(skill, context)) ??
    notListed(skill, context)
  return reason === null ? { eligible: true } : { eligible: false, reason }
}

function switchedOff(skill: Skill, { entries, allowBundled }: SkillContext): string | null {
  if (entryOf(skill, entries).enabled === false) return 'is switched off'
  const listed = allowBundled.length === 0 || allowBundled.includes(skill.name) || allowBundled.includes(skill.gate.key)
  return skill.location === 'bundled' && !listed ? 'is not an allowed bundled skill' : null
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = { macos: 'darwin', windows: 'win32' }

function wrongPlatform({ gate }: Skill, { platform }: SkillContext): string | null {
  const wanted = gate.os.map((name) => PLATFORM_NAMES[name.toLowerCase()] ?? name.toLowerCase())
  return wanted.length > 0 && !wanted.includes(platform)
    ? `works only on ${wanted.join(', ')}, not on ${platform}`
    : null
}

function missingRequirement(skill: Skill, context: SkillContext): string | null {
  const { gate } = skill
  const program = gate.bins.find((name) => !context.hasProgram(name))
  if (program !== undefined) return `needs the program ${program} on PATH`
  if (gate.anyBins.length > 0 && !gate.anyBins.some((name) => context.hasProgram(name))) {
    return `needs one of the programs ${gate.anyBins.join(', ')} on PATH`
  }
  const variable = gate.env.find((name) => !hasVariable(skill, name, context))
  if (variable !== undefined) return `needs the variable ${variable}`
  const setting = gate.config.find((path) => !settingAt(context.config, path))
  return setting === undefined ? null : `needs the setting ${setting}`
}

function hasVariable(skill: Skill, name: string, { entries, environment }: SkillContext): boolean {
  const { env = {}, apiKey } = entryOf(skill, entries)
  const isSet = (values: Readonly<Record<string, string | undefined>>) => Object.hasOwn(values, name) && !!values[name]
  return isSet(environment) || isSet(env) || (!!apiKey && skill.gate.primaryEnv === name)
}

function settingAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined), config)
}

function notListed(skill: Skill, { allowedSkills }: SkillContext): string | null {
  const listed = allowedSkills === null || allowedSkills.includes(skill.name) || allowedSkills.includes(skill.gate.key)
  return listed ? null : 'is not on the list of skills of this agent'
}
