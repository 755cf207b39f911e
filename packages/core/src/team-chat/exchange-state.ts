/**
 * One exchange: all turns that follow from one stimulus, and what is still owed. A plain value that lives in a database
 * row between turns, so it holds no text of a post and grows with turns and people's messages only.
 */
export interface ExchangeState {
  readonly version: 1
  readonly exchangeId: string
  readonly teamId: string
  /** Who may speak, each once; nobody who is not an agent. */
  readonly participants: readonly Participant[]
  /** Those a person left out of it. */
  readonly skipped: readonly string[]
  /** The oldest first. */
  readonly chains: readonly Chain[]
  /** Who owes a turn, the oldest obligation first. */
  readonly obligations: readonly Obligation[]
  readonly nextObligationId: number
  /** The oldest first. */
  readonly turns: readonly TakenTurn[]
  readonly lastPosts: readonly LastPost[]
  readonly halted: 'aborted' | 'budget_paused' | null
}

export interface Participant {
  readonly agentId: string
  /** A leader need not be a member of the team. */
  readonly isLeader: boolean
}

/** Everything that follows from one cause. */
export interface Chain {
  readonly id: string
  readonly begunBy: ChainOrigin
  /** The most hops that a turn in it had. */
  readonly hops: number
  /** Why nothing more follows from it; null = it goes on. */
  readonly ended: 'stopped' | 'repeat' | null
}

/** A person's message, or a signal of the board or of an agent at work. */
export const CHAIN_ORIGINS = ['message', 'board', 'post'] as const

export type ChainOrigin = (typeof CHAIN_ORIGINS)[number]

/** An agent owes a turn, because of something that is a signal and no prose. */
export interface Obligation {
  readonly id: number
  readonly agentId: string
  readonly because: ObligationReason
  readonly chainId: string
  /** How often an agent has woken another one in its chain, this time included. */
  readonly hops: number
  readonly postId: string | null
  readonly taskId: string | null
}

export const OBLIGATION_REASONS = [
  /** A person picked it in a message. */
  'mention',
  /** A person said something meanwhile and picked nobody: the leader owes the answer. */
  'message',
  /** A teammate's post names it. */
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
  /** Nothing of it was shown. */
  readonly passed: boolean
}

export interface LastPost {
  readonly agentId: string
  readonly fingerprint: string
}

/** How often one agent may wake another within a chain. */
export const HOP_LIMIT = 3

/** Hops as they count; a number that is no count of hops must not open the limit. */
export function countedHops(hops: number): number {
  return Number.isSafeInteger(hops) && hops >= 0 ? Math.min(hops, HOP_LIMIT) : HOP_LIMIT
}

/** An exchange in which nothing has happened yet. Who is named twice takes part once. */
export function openExchange(given: {
  readonly exchangeId: string
  readonly teamId: string
  readonly participants: readonly Participant[]
  /** What each said last in the room, so that saying it again is noticed. */
  readonly lastPosts?: readonly { readonly agentId: string; readonly body: string }[]
}): ExchangeState {
  const participants = uniqueParticipants(given.participants)
  const known = (given.lastPosts ?? []).map(({ agentId, body }) => [agentId, fingerprintOf(body)] as const)
  return {
    version: 1,
    exchangeId: given.exchangeId,
    teamId: given.teamId,
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

/** Those who may be given a turn. */
export function activeParticipants(state: Pick<ExchangeState, 'participants' | 'skipped'>): readonly Participant[] {
  return state.participants.filter(({ agentId }) => !state.skipped.includes(agentId))
}

/** The same for texts that differ only in the space around them, and for hardly any others. */
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
