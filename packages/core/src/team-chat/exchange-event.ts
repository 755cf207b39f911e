import type { Obligation, Participant } from './exchange-state.ts'

/** An event in a room or on its board during an exchange. */
export type ExchangeEvent =
  | PersonMessage
  | BoardSignal
  | AgentPost
  | TurnTaken
  /** A person stopped everything that follows from one cause. */
  | { readonly type: 'chain_stopped'; readonly chainId: string }
  /** Agents joined or left the team. */
  | { readonly type: 'members_changed'; readonly participants: readonly Participant[] }
  | { readonly type: 'budget_paused' }
  /** A person stopped the exchange, or its initiator is gone. */
  | { readonly type: 'aborted' }

/** A message starts a chain. */
export interface PersonMessage {
  readonly type: 'message'
  readonly postId: string
  readonly chainId: string
  /** The ids of the agents that the person picked; never read from the text. */
  readonly mentions: readonly string[]
  /** The agents that must not run. */
  readonly skip: readonly string[]
}

export interface BoardSignal {
  readonly type: 'board'
  readonly signal: 'task_assigned' | 'task_finished' | 'task_blocked'
  readonly taskId: string
  /** null = the task is unassigned or assigned to a person. */
  readonly assigneeId: string | null
  /** The agent that created the task; null = a person did. */
  readonly askedById: string | null
  readonly cause: WakeCause
}

/** An agent's post outside the turns of this exchange. */
export interface AgentPost {
  readonly type: 'post'
  readonly post: TurnPost
  readonly cause: Extract<WakeCause, { kind: 'agent' }>
}

/** A turn that has ended, successfully or not. */
export interface TurnTaken {
  readonly type: 'turn'
  readonly turnId: string
  /** From `nextStep`, like the chain and the hops. */
  readonly agentId: string
  readonly chainId: string
  readonly hops: number
  /** The ids of the obligations that the turn fulfils. Newer obligations remain. */
  readonly answers: readonly number[]
  /** All posts of the turn, in order. No post, or only the pass token, is a pass. */
  readonly posts: readonly TurnPost[]
}

export interface TurnPost {
  readonly id: string
  readonly body: string
  /** The `to` of the post: agent ids, never read from the text. */
  readonly to: readonly string[]
}

/** The cause of a signal. */
export type WakeCause =
  /** An agent's run, with its chain and hops. */
  | { readonly kind: 'agent'; readonly agentId: string; readonly chainId: string; readonly hops: number }
  | { readonly kind: 'person' | 'host'; readonly chainId: string }

/** A wake that created no obligation, or whose obligation was removed. */
export interface DroppedWake {
  /** The removed obligation; null = there was none. */
  readonly obligationId: number | null
  /** null = the wake was for the leader, and the team has none. */
  readonly agentId: string | null
  readonly because: Obligation['because']
  readonly chainId: string
  readonly postId: string | null
  readonly taskId: string | null
  readonly reason: DropReason
}

/** In order of precedence: the first that applies is the reason. */
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
