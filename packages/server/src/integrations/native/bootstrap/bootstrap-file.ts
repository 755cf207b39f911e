import { AGENT_FILE_NAMES, type AgentFileName } from '@clawboo/core/registry'

/** The first-run ritual. It is not an agent file: it has no revisions, and deleting it is final. */
export const RITUAL_FILE = 'BOOTSTRAP.md'

export type BootstrapFileName = AgentFileName | typeof RITUAL_FILE

type StemOf<Name> = Name extends `${infer Stem}.md` ? Stem : never
/** The name of an agent file without `.md`. The registry owns the list of names. */
export type AgentFileStem = StemOf<AgentFileName>

export function agentFile(stem: AgentFileStem): AgentFileName {
  return `${stem}.md`
}

export interface BootstrapFileFacts {
  /** The position in which the file gets its share of the total. The last files get nothing first. */
  readonly budgetOrder: number
  /** The position in the prompt. */
  readonly contextOrder: number
  readonly seeded: 'required' | 'optional' | 'never'
  /** Whether the prompt shows a marker when the file is missing. */
  readonly marksAbsence: boolean
}

const FACTS: Readonly<Partial<Record<StemOf<BootstrapFileName>, BootstrapFileFacts>>> = {
  AGENTS: { budgetOrder: 1, contextOrder: 10, seeded: 'required', marksAbsence: true },
  SOUL: { budgetOrder: 2, contextOrder: 20, seeded: 'optional', marksAbsence: true },
  TOOLS: { budgetOrder: 3, contextOrder: 50, seeded: 'required', marksAbsence: true },
  IDENTITY: { budgetOrder: 4, contextOrder: 30, seeded: 'optional', marksAbsence: true },
  USER: { budgetOrder: 5, contextOrder: 40, seeded: 'optional', marksAbsence: true },
  HEARTBEAT: { budgetOrder: 6, contextOrder: 80, seeded: 'optional', marksAbsence: true },
  BOOTSTRAP: { budgetOrder: 7, contextOrder: 60, seeded: 'never', marksAbsence: true },
  MEMORY: { budgetOrder: 8, contextOrder: 70, seeded: 'never', marksAbsence: false },
}

const UNKNOWN_FILE: BootstrapFileFacts = {
  budgetOrder: 9,
  contextOrder: 90,
  seeded: 'never',
  marksAbsence: false,
}

export function factsOf(name: string): BootstrapFileFacts {
  const stem = name.replace(/\.md$/, '')
  return Object.hasOwn(FACTS, stem) ? FACTS[stem as keyof typeof FACTS]! : UNKNOWN_FILE
}

/**
 * The files for a prompt, in the order in which they share the budget. Leaves out the heartbeat file, because native
 * agents have no heartbeats.
 */
export function chooseBootstrapFiles(options: { readonly ritualPending: boolean }): BootstrapFileName[] {
  return [...AGENT_FILE_NAMES, RITUAL_FILE]
    .filter((name): name is BootstrapFileName => {
      if (name === RITUAL_FILE) return options.ritualPending
      return name !== agentFile('HEARTBEAT')
    })
    .sort((one, other) => factsOf(one).budgetOrder - factsOf(other).budgetOrder)
}
