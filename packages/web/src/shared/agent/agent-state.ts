import type { AgentRecord } from '@clawboo/core/registry'
import type { BooEyes } from '../../ui/boo/boo-shape.ts'
import type { Tone } from '../../ui/pill.tsx'
import { clockWords, shortAge } from '../../ui/words/time-words.ts'

export type AgentStateKind = 'waiting' | 'working' | 'failed' | 'unknown' | 'idle' | 'asleep' | 'archived'

/** The look and the words of an agent's status. */
export interface AgentState {
  readonly kind: AgentStateKind
  readonly eyes: BooEyes
  /** Colours the pill and the dot. */
  readonly tone: Tone
  /** The state alone, as in a filter. */
  readonly word: string
  /** The state with its age, as in a row. */
  readonly pill: string
}

export type StatusFields = Pick<AgentRecord, 'status' | 'statusAt' | 'createdAt'>

/** The only place that turns a status into a dot, eyes and words. `waits`: the agent waits for a person's answer. */
export function agentState({ status, statusAt, createdAt }: StatusFields, now: number, waits = false): AgentState {
  if (waits && status !== 'archived') return say('waiting', 'needs', 'needs')
  const age = now - statusAt < MINUTE_MS ? 'just now' : shortAge(now - statusAt)
  switch (status) {
    case 'running':
      return say('working', 'working', 'working')
    case 'error':
      return say('failed', 'bad', 'bad')
    case 'unknown':
      return say('unknown', 'unknown', 'plain', `since ${clockWords(statusAt, now)}`)
    case 'sleeping':
      return say('asleep', 'stopped', 'plain')
    case 'archived':
      return say('archived', 'unknown', 'plain', `· ${age}`)
    case 'idle':
      // A status as old as the record was never set by a run, so it has no age.
      if (statusAt <= createdAt) return say('idle', 'idle', 'plain')
      return say('idle', now - statusAt < RESTED_AFTER_MS ? 'idle' : 'stopped', 'plain', `· ${age}`)
  }
}

export const STATE_WORDS: Readonly<Record<AgentStateKind, string>> = {
  waiting: 'Needs you',
  working: 'Working',
  failed: 'Failed',
  unknown: 'Unknown',
  idle: 'Idle',
  asleep: 'Asleep',
  archived: 'Archived',
}

const MINUTE_MS = 60_000
const RESTED_AFTER_MS = 24 * 60 * 60 * 1000

function say(kind: AgentStateKind, eyes: BooEyes, tone: Tone, more?: string): AgentState {
  const word = STATE_WORDS[kind]
  return { kind, eyes, tone, word, pill: more === undefined ? word : `${word} ${more}` }
}
