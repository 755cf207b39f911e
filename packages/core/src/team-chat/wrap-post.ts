import { envelopeAuthor } from './author-id.ts'
import { findHeaders, type ScannedText } from './find-headers.ts'
import type { TeamChatPost } from './post.ts'

/** Stands where a body held a header. */
export const HEADER_PLACEHOLDER = '(header removed)'

/**
 * A post as a model reads it: evidence from a teammate, never a user's word. The first line is the only header in it,
 * and every line of the body stands behind `| `, whatever the body holds. A person's post is delivered as a peer's: the
 * words that carry a person's authority are the stimulus of the turn, and those come another way.
 */
export function wrapPost(post: Pick<TeamChatPost, 'author' | 'seq' | 'body'>): string {
  if (!Number.isSafeInteger(post.seq)) throw new TypeError('a post has a number')
  const kind = post.author.kind === 'system' ? 'system' : 'peer'
  const header = `[Inter-session message · from=${envelopeAuthor(post.author)} · kind=${kind} · seq=${post.seq} · isUser=false]`
  return `${header}\n${quoteBody(post.body)}`
}

/** A body line by line behind `| `, with a placeholder for every header. A string is such a text. */
export function quoteBody(text: ScannedText & Pick<string, 'charCodeAt' | 'slice'>): string {
  const parts = ['| ']
  const headers = findHeaders(text)
  let header = 0
  let at = 0
  let lineStart = 0
  while (at < text.length) {
    const span = headers[header]
    if (span?.start === at) {
      parts.push(text.slice(lineStart, at), HEADER_PLACEHOLDER)
      at = span.end
      lineStart = at
      header += 1
      continue
    }
    const code = text.charCodeAt(at)
    if (LINE_BREAKS.has(code)) {
      parts.push(text.slice(lineStart, at), '\n| ')
      // Both of these together are one line's end.
      if (code === CR && at + 1 < text.length && text.charCodeAt(at + 1) === LF) at += 1
      lineStart = at + 1
    }
    at += 1
  }
  parts.push(text.slice(lineStart, text.length))
  return parts.join('')
}

const LF = 0x0a
const CR = 0x0d
/** Everything that any reader of text takes for the end of a line: also VT, FF, FS, GS, RS, NEL, LS and PS. */
const LINE_BREAKS: ReadonlySet<number> = new Set([LF, 0x0b, 0x0c, CR, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029])
