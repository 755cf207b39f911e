import { AGENT_FILE_NAMES, type AgentFileName } from '@clawboo/core/registry'

/** The first-run ritual. It is no agent file: it has no revisions, and what deletes it deletes it for good. */
export const RITUAL_FILE = 'BOOTSTRAP.md'

export type BootstrapFileName = AgentFileName | typeof RITUAL_FILE

type StemOf<Name> = Name extends `${infer Stem}.md` ? Stem : never
/** An agent file by the part of its name before the dot; the names themselves stand in the registry's list. */
export type AgentFileStem = StemOf<AgentFileName>

export function agentFile(stem: AgentFileStem): AgentFileName {
  return `${stem}.md`
}

export interface BootstrapFileFacts {
  /** Its turn when the total is shared out; the last ones starve first. */
  readonly budgetOrder: number
  /** Its place in the prompt. */
  readonly contextOrder: number
  readonly seeded: 'required' | 'optional' | 'never'
  /** Whether the prompt says so when it is not there. */
  readonly marksAbsence: boolean
  /** Whether sub-agents and scheduled sessions get it too. */
  readonly inEverySession: boolean
}

const everywhere = { marksAbsence: true, inEverySession: true } as const

const FACTS: Readonly<Partial<Record<StemOf<BootstrapFileName>, BootstrapFileFacts>>> = {
  AGENTS: { budgetOrder: 1, contextOrder: 10, seeded: 'required', ...everywhere },
  SOUL: { budgetOrder: 2, contextOrder: 20, seeded: 'optional', ...everywhere },
  TOOLS: { budgetOrder: 3, contextOrder: 50, seeded: 'required', ...everywhere },
  IDENTITY: { budgetOrder: 4, contextOrder: 30, seeded: 'optional', ...everywhere },
  USER: { budgetOrder: 5, contextOrder: 40, seeded: 'optional', ...everywhere },
  HEARTBEAT: { budgetOrder: 6, contextOrder: 80, seeded: 'optional', marksAbsence: true, inEverySession: false },
  BOOTSTRAP: { budgetOrder: 7, contextOrder: 60, seeded: 'never', marksAbsence: true, inEverySession: false },
  MEMORY: { budgetOrder: 8, contextOrder: 70, seeded: 'never', marksAbsence: false, inEverySession: false },
}

const UNKNOWN_FILE: BootstrapFileFacts = {
  budgetOrder: 9,
  contextOrder: 90,
  seeded: 'never',
  marksAbsence: false,
  inEverySession: true,
}

export function factsOf(name: string): BootstrapFileFacts {
  const stem = name.replace(/\.md$/, '')
  return Object.hasOwn(FACTS, stem) ? FACTS[stem as keyof typeof FACTS]! : UNKNOWN_FILE
}

export interface SessionKind {
  readonly kind: 'normal' | 'heartbeat' | 'cron' | 'sub-agent'
  /** A run that wants next to no context. */
  readonly lightweight?: boolean
  readonly heartbeatsOn: boolean
  /** The ritual is still to be followed, in this run. */
  readonly ritualPending: boolean
}

/** The files a session is given, in the order in which they share the budget. */
export function chooseBootstrapFiles(session: SessionKind): BootstrapFileName[] {
  const heartbeat = agentFile('HEARTBEAT')
  if (session.lightweight) return session.kind === 'heartbeat' ? [heartbeat] : []
  const whole = session.kind === 'normal' || session.kind === 'heartbeat'
  return [...AGENT_FILE_NAMES, RITUAL_FILE]
    .filter((name): name is BootstrapFileName => {
      if (!whole && !factsOf(name).inEverySession) return false
      if (name === RITUAL_FILE) return session.ritualPending
      return name !== heartbeat || session.kind === 'heartbeat' || session.heartbeatsOn
    })
    .sort((one, other) => factsOf(one).budgetOrder - factsOf(other).budgetOrder)
}
