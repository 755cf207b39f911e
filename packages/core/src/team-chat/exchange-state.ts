/**
 * One exchange: all turns that follow from one stimulus, and the open obligations. A plain value that is stored in a
 * database row between turns, so it contains no text of posts, and grows only with turns and people's messages.
 */
export interface ExchangeState {
  readonly version: 1
  readonly exchangeId: string
  readonly teamId: string
  /** The agents that may speak, each once. */
  readonly participants: readonly Participant[]
  /** The agents that a person excluded. */
  readonly skipped: readonly string[]
  /** Oldest first. */
  readonly chains: readonly Chain[]
  /** The turns that agents owe, oldest first. */
  readonly obligations: readonly Obligation[]
  readonly nextObligationId: number
  /** Oldest first. */
  readonly turns: readonly TakenTurn[]
  readonly lastPosts: readonly LastPost[]
  readonly halted: 'aborted' | 'budget_paused' | null
}

export interface Participant {
  readonly agentId: string
  /** The leader may be outside the team. */
  readonly isLeader: boolean
}

/** Everything that follows from one cause. */
export interface Chain {
  readonly id: string
  readonly begunBy: ChainOrigin
  /** The highest number of hops of a turn in the chain. */
  readonly hops: number
  /** The reason that the chain ended; null = it is open. */
  readonly ended: 'stopped' | 'repeat' | null
}

/** A person's message, a signal of the board, or an agent's post outside a turn. */
export const CHAIN_ORIGINS = ['message', 'board', 'post'] as const

export type ChainOrigin = (typeof CHAIN_ORIGINS)[number]

/** A turn that an agent owes, because of a signal and never because of a text. */
export interface Obligation {
  readonly id: number
  readonly agentId: string
  readonly because: ObligationReason
  readonly chainId: string
  /** How often an agent has woken another in the chain, including this time. */
  readonly hops: number
  readonly postId: string | null
  readonly taskId: string | null
}

export const OBLIGATION_REASONS = [
  /** A person mentioned the agent in a message. */
  'mention',
  /** A person sent a message without mentions during the exchange: the leader owes the answer. */
  'message',
  /** A teammate addressed a post to the agent. */
  'post',
  'task_assigned',
  'task_finished',
  'task_blocked',
] as const

export type ObligationReason = (typeof OBLIGATION_REASONS)[number]

export interface TakenTurn {
  readonly id: string
  readonly agentId: string
  readonly chainId: string
  readonly hops: number
  /** The turn had no visible post. */
  readonly passed: boolean
}

export interface LastPost {
  readonly agentId: string
  readonly fingerprint: string
}

/** How often one agent may wake another within a chain. */
export const HOP_LIMIT = 3

/** The number of hops for the limit. An invalid number counts as the limit, so that it cannot bypass it. */
export function countedHops(hops: number): number {
  return Number.isSafeInteger(hops) && hops >= 0 ? Math.min(hops, HOP_LIMIT) : HOP_LIMIT
}

/** A new exchange. A participant that is listed twice takes part once. */
export function openExchange(options: {
  readonly exchangeId: string
  readonly teamId: string
  readonly participants: readonly Participant[]
  /** The last post of each participant, to recognise a repetition. */
  readonly lastPosts?: readonly { readonly agentId: string; readonly body: string }[]
}): ExchangeState {
  const participants = uniqueParticipants(options.participants)
  const known = (options.lastPosts ?? []).map(({ agentId, body }) => [agentId, fingerprintOf(body)] as const)
  return {
    version: 1,
    exchangeId: options.exchangeId,
    teamId: options.teamId,
    participants,
    skipped: [],
    chains: [],
    obligations: [],
    nextObligationId: 1,
    turns: [],
    lastPosts: [...new Map(known)].map(([agentId, fingerprint]) => ({ agentId, fingerprint })),
    halted: null,
  }
}

export function uniqueParticipants(participants: readonly Participant[]): readonly Participant[] {
  const seen = new Set<string>()
  return participants.flatMap(({ agentId, isLeader }) => {
    if (seen.has(agentId)) return []
    seen.add(agentId)
    return [{ agentId, isLeader }]
  })
}

/** The participants that may have a turn. */
export function activeParticipants(state: Pick<ExchangeState, 'participants' | 'skipped'>): readonly Participant[] {
  return state.participants.filter(({ agentId }) => !state.skipped.includes(agentId))
}

/** Equal for texts that differ only in surrounding space, and almost never for others. */
export function fingerprintOf(body: string): string {
  const text = body.trim()
  let one = 0x811c9dc5
  let two = 0x9e3779b9
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    two = Math.imul(two ^ code, 0x85ebca6b)
    two ^= two >>> 13
  }
  return [text.length, one >>> 0, two >>> 0].map((part) => part.toString(16)).join('-')
}

/** The settings of a team for its exchanges. */
export interface ExchangePolicy {
  /** The turn cap. */
  readonly maxTurns: number
}

export const MAX_TURNS = { least: 1, most: 50, default: 5 } as const

export const DEFAULT_EXCHANGE_POLICY: ExchangePolicy = { maxTurns: MAX_TURNS.default }

/** The maximum number of turns: the cap, or two for each agent that may speak if that is less. */
export function turnBound(
  state: Pick<ExchangeState, 'participants' | 'skipped'>,
  { maxTurns }: ExchangePolicy = DEFAULT_EXCHANGE_POLICY,
): number {
  const cap = Number.isSafeInteger(maxTurns) ? maxTurns : MAX_TURNS.default
  const allowed = Math.min(MAX_TURNS.most, Math.max(MAX_TURNS.least, cap))
  return Math.min(allowed, 2 * activeParticipants(state).length)
}

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
