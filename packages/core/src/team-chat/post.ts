/** What was said in a team's room: never a decision, whatever its words. */
export interface TeamChatPost {
  readonly roomId: RoomId
  readonly teamId: string
  /** Its place in the room, from 1 on, without a gap. */
  readonly seq: number
  readonly id: string
  readonly author: PostAuthor
  readonly kind: PostKind
  readonly body: string
  /** The agents it asks for an answer, by id. */
  readonly to: readonly string[]
  /** The causal chain it belongs to; null for what the host tells of on its own. */
  readonly chainId: string | null
  /** How often an agent had woken another one, within its chain, before it was said. */
  readonly hops: number
  readonly runId: string | null
  readonly taskId: string | null
  readonly createdAt: number
}

/** From the credential, never from what was said. */
export type PostAuthor =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'person'; readonly id: string }
  | { readonly kind: 'system' }

export type PostKind = 'peer' | 'system' | 'user'

export const POST_KINDS = ['peer', 'system', 'user'] as const satisfies readonly PostKind[]

/** The one kind that an author's posts have. */
export function postKind(author: PostAuthor): PostKind {
  return author.kind === 'agent' ? 'peer' : author.kind === 'person' ? 'user' : 'system'
}

export type RoomId = `team:${string}`

/** A team's room. Kept apart from the team's id: a team may come to have more than one. */
export function roomIdOf(teamId: string): RoomId {
  return `team:${teamId}`
}

/** The team of a room; null for what is no room's id. */
export function teamIdOf(roomId: string): string | null {
  return /^team:./su.test(roomId) ? roomId.slice('team:'.length) : null
}
