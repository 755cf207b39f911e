import type { Obligation, Participant } from './exchange-state.ts'

/** Something that happened in a room or on its board while an exchange is open. */
export type ExchangeEvent =
  | PersonMessage
  | BoardSignal
  | AgentPost
  | TurnTaken
  /** A person wants nothing more to follow from one cause. */
  | { readonly type: 'chain_stopped'; readonly chainId: string }
  /** Agents joined or left the team. */
  | { readonly type: 'members_changed'; readonly participants: readonly Participant[] }
  | { readonly type: 'budget_paused' }
  /** A person stopped the exchange, or whoever began it is gone. */
  | { readonly type: 'aborted' }

/** It begins a chain. */
export interface PersonMessage {
  readonly type: 'message'
  readonly postId: string
  readonly chainId: string
  /** Picked by the person, by agent id; never read out of the text. */
  readonly mentions: readonly string[]
  /** Those the person does not want to run. */
  readonly skip: readonly string[]
}

export interface BoardSignal {
  readonly type: 'board'
  readonly signal: 'task_assigned' | 'task_finished' | 'task_blocked'
  readonly taskId: string
  /** Whose task it is; null = nobody's, or a person's. */
  readonly assigneeId: string | null
  /** The agent that asked for it; null = a person did. */
  readonly askedById: string | null
  readonly cause: WakeCause
}

/** An agent's post from outside a turn of this exchange. */
export interface AgentPost {
  readonly type: 'post'
  readonly post: SaidPost
  readonly cause: Extract<WakeCause, { kind: 'agent' }>
}

/** One turn came to its end, well or not. */
export interface TurnTaken {
  readonly type: 'turn'
  readonly turnId: string
  /** As `nextStep` gave it. */
  readonly agentId: string
  readonly chainId: string
  readonly hops: number
  /** The ids of the obligations it was given; what came up meanwhile is still owed. */
  readonly answers: readonly number[]
  /** All it posted, in order. None, or only the pass token, is a pass. */
  readonly posts: readonly SaidPost[]
}

export interface SaidPost {
  readonly id: string
  readonly body: string
  /** The `to` of the post: agent ids, never read out of the text. */
  readonly to: readonly string[]
}

/** What a signal follows from. */
export type WakeCause =
  /** An agent's run, with the chain and hops it ran under. */
  | { readonly kind: 'agent'; readonly agentId: string; readonly chainId: string; readonly hops: number }
  | { readonly kind: 'person' | 'host'; readonly chainId: string }

/** A wake that was asked for and is not owed, or no longer. */
export interface DroppedWake {
  /** The obligation that was taken back; null = it never came to be one. */
  readonly obligationId: number | null
  /** null = it was for the leader, and nobody leads. */
  readonly agentId: string | null
  readonly because: Obligation['because']
  readonly chainId: string
  readonly postId: string | null
  readonly taskId: string | null
  readonly reason: DropReason
}

/** Where several hold, the first of these is named. */
export const DROP_REASONS = [
  'nobody_leads',
  'own_post',
  'own_task',
  'not_a_member',
  'skipped',
  'aborted',
  'chain_stopped',
  'repeat',
  'hop_limit',
  'already_owed',
] as const

export type DropReason = (typeof DROP_REASONS)[number]
