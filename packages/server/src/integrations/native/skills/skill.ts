/** Where a skill was found, highest precedence first: of two with one name the higher one counts. */
export const SKILL_LOCATIONS = ['workspace', 'project', 'personal', 'managed', 'bundled', 'extra'] as const

export type SkillLocation = (typeof SKILL_LOCATIONS)[number]

export interface Skill {
  readonly name: string
  readonly description: string
  readonly location: SkillLocation
  /** Absolute, as it is listed. */
  readonly folder: string
  /** Its SKILL.md. */
  readonly file: string
  readonly homepage: string | null
  readonly emoji: string | null
  /** Whether a person may call it by name. */
  readonly userInvocable: boolean
  /** Whether the model is told of it. */
  readonly modelInvocable: boolean
  /** A person's call goes straight to this tool. */
  readonly commandTool: string | null
  readonly gate: SkillGate
  /** How its programs can be had, as its author wrote it. */
  readonly install: readonly unknown[]
  /** What its author should mend; it works all the same. */
  readonly warnings: readonly string[]
}

/** What has to be so for a skill to be of use. */
export interface SkillGate {
  /** Under which name it is configured. */
  readonly key: string
  readonly always: boolean
  /** The variable its main key goes into. */
  readonly primaryEnv: string | null
  /** Platforms; empty = any. */
  readonly os: readonly string[]
  readonly bins: readonly string[]
  readonly anyBins: readonly string[]
  readonly env: readonly string[]
  readonly config: readonly string[]
}

/** What a person configured for one skill. */
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
