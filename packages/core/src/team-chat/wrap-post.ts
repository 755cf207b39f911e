import { findHeaders, type ScannedText } from './find-headers.ts'
import type { PostAuthor, TeamChatPost } from './post.ts'

/** Replaces a header in a body. */
export const HEADER_PLACEHOLDER = '(header removed)'

/**
 * A post as a model reads it: evidence from a teammate, never a user's message. The first line is the only header, and
 * every line of the body starts with `| `, whatever the body contains. A person's post is delivered as a peer's: only the
 * stimulus of the turn has a person's authority, and it is not delivered in an envelope.
 */
export function wrapPost(post: Pick<TeamChatPost, 'author' | 'seq' | 'body'>): string {
  if (!Number.isSafeInteger(post.seq)) throw new TypeError('a post needs a number')
  const kind = post.author.kind === 'system' ? 'system' : 'peer'
  const header = `[Inter-session message · from=${envelopeAuthor(post.author)} · kind=${kind} · seq=${post.seq} · isUser=false]`
  // A reader that drops the text between two separate halves of a character would see a letter.
  return `${header}\n${quoteBody(post.body.toWellFormed())}`
}

/** Starts every line of a body with `| `, and replaces every header. */
export function quoteBody(text: ScannedText & Pick<string, 'charCodeAt' | 'slice'>): string {
  const pieces = ['| ']
  const headers = findHeaders(text)
  let header = 0
  let at = 0
  let lineStart = 0
  while (at < text.length) {
    const span = headers[header]
    if (span?.start === at) {
      pieces.push(text.slice(lineStart, at), HEADER_PLACEHOLDER)
      at = span.end
      lineStart = at
      header += 1
      continue
    }
    const code = text.charCodeAt(at)
    if (LINE_BREAKS.has(code)) {
      pieces.push(text.slice(lineStart, at), '\n| ')
      // CR and LF together end one line.
      if (code === CR && at + 1 < text.length && text.charCodeAt(at + 1) === LF) at += 1
      lineStart = at + 1
    }
    at += 1
  }
  pieces.push(text.slice(lineStart, text.length))
  return pieces.join('')
}

const LF = 0x0a
const CR = 0x0d
/** Every character that some reader treats as a line end: also VT, FF, FS, GS, RS, NEL, LS and PS. */
const LINE_BREAKS: ReadonlySet<number> = new Set([LF, 0x0b, 0x0c, CR, 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029])

export const AUTHOR_ID_CHARACTERS = 128

const ALLOWED = /^[\w.@/+-]$/
/** Not allowed in ids, so that a cleaned id never equals another agent's id. */
const MARK = '~'

/** The reason that an agent cannot have this id; null = it can. */
export function findAuthorIdProblem(id: unknown): string | null {
  if (typeof id !== 'string' || id === '') return 'An id cannot be empty.'
  if (id.length > AUTHOR_ID_CHARACTERS)
    return `The id has ${id.length} characters. The limit is ${AUTHOR_ID_CHARACTERS}.`
  if (id === 'system') return 'The id “system” is reserved.'
  return [...id].every((character) => ALLOWED.test(character))
    ? null
    : 'An id can contain only plain letters, digits and . _ @ / + -'
}

/** The author's name in an envelope: one word that cannot end its line or its field. */
export function envelopeAuthor(author: PostAuthor): string {
  if (author.kind === 'system') return 'system'
  const id = cleanAuthorId(author.id)
  return author.kind === 'person' ? `person:${id}` : id
}

/** Returns an allowed id unchanged. In any other id, each disallowed character becomes a mark. */
export function cleanAuthorId(id: string): string {
  if (findAuthorIdProblem(id) === null) return id
  if (id === 'system') return `${MARK}system`
  const start = [...id.slice(0, AUTHOR_ID_CHARACTERS - 1)]
  const cleaned = start.map((character) => (ALLOWED.test(character) ? character : MARK)).join('')
  return cleaned.includes(MARK) ? cleaned : `${cleaned}${MARK}`
}
