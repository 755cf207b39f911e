/** A post in a team's room. No decision depends on its text. */
export interface TeamChatPost {
  readonly roomId: RoomId
  readonly teamId: string
  /** The post's number in the room, from 1, without gaps. */
  readonly seq: number
  readonly id: string
  readonly author: PostAuthor
  readonly kind: PostKind
  readonly body: string
  /** The ids of the agents that should answer. */
  readonly to: readonly string[]
  /** null for the host's own posts. */
  readonly chainId: string | null
  /** How often an agent had woken another in the chain before this post. */
  readonly hops: number
  readonly runId: string | null
  readonly taskId: string | null
  readonly createdAt: number
}

/** Decided by the credential, never by the text. */
export type PostAuthor =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'person'; readonly id: string }
  | { readonly kind: 'system' }

export type PostKind = 'peer' | 'system' | 'user'

export const POST_KINDS = ['peer', 'system', 'user'] as const satisfies readonly PostKind[]

/** The kind depends only on the author. */
export function postKind(author: PostAuthor): PostKind {
  return author.kind === 'agent' ? 'peer' : author.kind === 'person' ? 'user' : 'system'
}

export type RoomId = `team:${string}`

/** The id of a team's room. It differs from the team's id, so that a team can get more rooms. */
export function roomIdOf(teamId: string): RoomId {
  return `team:${teamId}`
}

/** The team of a room; null when the id is not a room's. */
export function teamIdOf(roomId: string): string | null {
  return /^team:./su.test(roomId) ? roomId.slice('team:'.length) : null
}

/** The answer of an agent that has nothing to say, unless its runtime uses the other token. */
export const PASS_TOKEN = 'NO_REPLY'

const PASS_TOKENS: readonly string[] = [PASS_TOKEN, 'NOTHING_TO_SAY']

/** Whether the answer is a pass, which is not shown. */
export function isPass(text: string): boolean {
  return PASS_TOKENS.includes(text.trim())
}

/** Whether an unfinished answer may still become a pass. */
export function mayBecomePass(text: string): boolean {
  return PASS_TOKENS.some((token) => token.startsWith(text.trim()))
}
