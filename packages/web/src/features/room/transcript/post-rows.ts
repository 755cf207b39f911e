import type { RoomPost } from '../../../live/apply-to-room.ts'

export interface PostRow {
  readonly post: RoomPost
  /** Whether it follows a post of the same author, so that face and name are not repeated. */
  readonly isContinued: boolean
  /** Whether it is the first visible post of its day. */
  readonly opensDay: boolean
  /** Whether it is the first unread post. */
  readonly opensUnread: boolean
}

const CONTINUED_WITHIN_MS = 5 * 60_000

/**
 * The first loaded post is not shown unless it is the first of the room: its look depends on the post before it and
 * would change while the person reads.
 */
export function postRows(posts: readonly RoomPost[], line: number | null): readonly PostRow[] {
  const from = firstShown(posts) === posts[0]?.seq ? 0 : 1
  return posts.slice(from).map((post, index) => {
    const before = posts[index + from - 1]
    const opensDay = before === undefined || dayOf(before.createdAt) !== dayOf(post.createdAt)
    const opensUnread = post.seq === line
    const isContinued = !opensDay && !opensUnread && before !== undefined && goesOn(before, post)
    return { post, isContinued, opensDay, opensUnread }
  })
}

export function firstShown(posts: readonly RoomPost[]): number {
  const first = posts[0]?.seq ?? 1
  return first === 1 ? 1 : first + 1
}

/** Whether a post follows soon after one of the same author and has no recipients. */
function goesOn(before: RoomPost, post: RoomPost): boolean {
  return (
    authorKey(before) === authorKey(post) &&
    post.to.length === 0 &&
    post.createdAt - before.createdAt < CONTINUED_WITHIN_MS
  )
}

/** Whether a live turn continues a post of the same agent. */
export function isContinuation(before: RoomPost | undefined, agentId: string, now: number): boolean {
  if (before?.author.kind !== 'agent' || before.author.id !== agentId) return false
  return now - before.createdAt < CONTINUED_WITHIN_MS
}

function authorKey({ author }: RoomPost): string {
  return author.kind === 'system' ? 'system' : `${author.kind}:${author.id}`
}

function dayOf(at: number): string {
  return new Date(at).toDateString()
}

const LINE_PX = 20
const LINE_CHARACTERS = 100
const DIVIDER_PX = 36
const ESTIMATED_CHARACTERS = 3_000

/** The estimated height before the row is rendered. */
export function estimateHeight({ post, isContinued, opensDay, opensUnread }: PostRow, isHidden = false): number {
  if (isHidden) return 0
  const dividers = (opensDay ? DIVIDER_PX : 0) + (opensUnread ? DIVIDER_PX : 0)
  const shown = post.body.slice(0, ESTIMATED_CHARACTERS)
  const lines = Math.ceil(shown.length / LINE_CHARACTERS) + count(shown, '\n')
  const frame = post.kind === 'system' ? 8 : isContinued ? 6 : 42
  return dividers + frame + (post.kind === 'user' ? 16 : 0) + lines * LINE_PX
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found += 1
  return found
}
