/** The locations of skills, highest precedence first. */
export const SKILL_LOCATIONS = ['workspace', 'project', 'personal', 'managed', 'bundled', 'extra'] as const

export type SkillLocation = (typeof SKILL_LOCATIONS)[number]

export interface Skill {
  readonly name: string
  readonly description: string
  readonly location: SkillLocation
  /** Absolute, as listed. */
  readonly folder: string
  /** The path of its SKILL.md. */
  readonly file: string
  readonly homepage: string | null
  readonly emoji: string | null
  /** Whether a person can call it by name. */
  readonly userInvocable: boolean
  /** Whether the prompt lists it. */
  readonly modelInvocable: boolean
  /** The tool that a person's call goes to directly. */
  readonly commandTool: string | null
  readonly gate: SkillGate
  /** How to install its programs, as written by its author. */
  readonly install: readonly unknown[]
  /** Mistakes that its author should correct. The skill works anyway. */
  readonly warnings: readonly string[]
}

/** The requirements of a skill. */
export interface SkillGate {
  /** Its name in the configuration. */
  readonly key: string
  readonly always: boolean
  /** The variable for its API key. */
  readonly primaryEnv: string | null
  /** Platforms; empty = any. */
  readonly os: readonly string[]
  readonly bins: readonly string[]
  readonly anyBins: readonly string[]
  readonly env: readonly string[]
  readonly config: readonly string[]
}

/** The configuration of one skill. */
export interface SkillEntry {
  readonly enabled?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly apiKey?: string
}

export type SkillEntries = Readonly<Record<string, SkillEntry | undefined>>

export function entryOf(skill: Skill, entries: SkillEntries): SkillEntry {
  const { key } = skill.gate
  return (Object.hasOwn(entries, key) ? entries[key] : undefined) ?? {}
}
