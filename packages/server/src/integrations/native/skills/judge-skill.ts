import { isObject } from '../session/entry.ts'
import { entryOf, type Skill, type SkillEntries } from './skill.ts'

/** What a skill is judged by. */
export interface SkillContext {
  readonly entries: SkillEntries
  /** Names or keys of the bundled skills that may be used; empty = all. */
  readonly allowBundled: readonly string[]
  /** As in `process.platform`. */
  readonly platform: string
  /** Whether a program of that name can be started. */
  hasProgram(name: string): boolean
  /** The environment a child would be started with. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settings that skills may ask for, by path. */
  readonly config: unknown
  /** The agent's own list, in place of the one for all; null = all. */
  readonly allowedSkills: readonly string[] | null
}

export type SkillVerdict = { readonly eligible: true } | { readonly eligible: false; readonly reason: string }

/** The first thing that speaks against a skill, in words that end a sentence beginning with its name. */
export function judgeSkill(skill: Skill, context: SkillContext): SkillVerdict {
  const reason =
    switchedOff(skill, context) ??
    wrongPlatform(skill, context) ??
    (skill.gate.always ? null : lacking(skill, context)) ??
    notOfThisAgent(skill, context)
  return reason === null ? { eligible: true } : { eligible: false, reason }
}

function switchedOff(skill: Skill, { entries, allowBundled }: SkillContext): string | null {
  if (entryOf(skill, entries).enabled === false) return 'is switched off'
  const listed = allowBundled.length === 0 || allowBundled.includes(skill.name) || allowBundled.includes(skill.gate.key)
  return skill.location === 'bundled' && !listed ? 'is not among the bundled skills that are allowed' : null
}

const PLATFORM_NAMES: Readonly<Record<string, string>> = { macos: 'darwin', windows: 'win32' }

function wrongPlatform({ gate }: Skill, { platform }: SkillContext): string | null {
  const wanted = gate.os.map((name) => PLATFORM_NAMES[name.toLowerCase()] ?? name.toLowerCase())
  return wanted.length > 0 && !wanted.includes(platform)
    ? `works on ${wanted.join(', ')} only, and this is ${platform}`
    : null
}

function lacking(skill: Skill, context: SkillContext): string | null {
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
  const given = (values: Readonly<Record<string, string | undefined>>) => Object.hasOwn(values, name) && !!values[name]
  return given(environment) || given(env) || (!!apiKey && skill.gate.primaryEnv === name)
}

function settingAt(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined), config)
}

function notOfThisAgent(skill: Skill, { allowedSkills }: SkillContext): string | null {
  const listed = allowedSkills === null || allowedSkills.includes(skill.name) || allowedSkills.includes(skill.gate.key)
  return listed ? null : 'is not among the skills of this agent'
}
