import type { RoomPost } from '../../../live/apply-to-room.ts'
import { OPERATOR_ID } from '../../../shared/agent/participant-name.ts'

export function credentialWords({ credential, author }: Pick<RoomPost, 'credential' | 'author'>): string {
  if (author.kind === 'system') return 'Posted by Clawboo'
  switch (credential) {
    case 'operator':
      return author.id === OPERATOR_ID
        ? "Posted with the operator's sign-in"
        : "Posted for them with the operator's sign-in"
    case 'mediated':
      return 'Final text of its turn, posted by the server'
    case 'attached':
      return 'Posted by its own run, inside the server'
    default:
      return 'Posted with the grant of its run'
  }
}

/** "Today", "Yesterday", "Monday 3 November", "3 November 2024". */
export function dayWords(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return 'Today'
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday'
  return date.getFullYear() === today.getFullYear() ? weekday.format(date) : fullDate.format(date)
}

export function timeWords(at: number): string {
  return clock.format(new Date(at))
}

const SPOKEN_CHARACTERS = 160

/** The announcement of new posts: the text of one, or the count. */
export function arrivalWords(posts: readonly RoomPost[], nameOf: (post: RoomPost) => string): string {
  const [post, ...more] = posts
  if (!post) return ''
  if (more.length > 0) return `${posts.length} new posts`
  const words = post.body.slice(0, SPOKEN_CHARACTERS).replace(/\s+/g, ' ').trim()
  return `${nameOf(post)}: ${words}`
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
const fullDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
