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
  /** Whether the prompt lists it. */
  readonly modelInvocable: boolean
  readonly gate: SkillGate
}

/** The requirements of a skill. */
export interface SkillGate {
  /** Its name in the configuration. */
  readonly key: string
  readonly always: boolean
  /** Platforms; empty = any. */
  readonly os: readonly string[]
  readonly bins: readonly string[]
  readonly anyBins: readonly string[]
  readonly env: readonly string[]
  readonly config: readonly string[]
}

/** A folder that contains skills. */
export interface SkillRoot {
  readonly location: SkillLocation
  /** Absolute. */
  readonly path: string
  /** The root itself must be inside this folder; null = anywhere. */
  readonly within: string | null
}
