/** Where in a diff a comment stands. A removed line has no number after the change: what is said of it quotes it. */
export type CommentPlace =
  | { readonly file: string; readonly line: number }
  | { readonly file: string; readonly removed: RemovedLine }

export interface RemovedLine {
  readonly oldLine: number
  readonly text: string
}

const QUOTED_CHARACTERS = 200

/** What a comment on a removed line begins with; two lines of a file never begin the same. */
export function removedQuote({ oldLine, text }: RemovedLine): string {
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text
  const said = cut.trim() === '' ? 'it was empty' : cut.includes('`') ? cut.trim() : `\`${cut.trim()}\``
  return `> Removed line ${oldLine}: ${said}\n\n`
}

/** A name for the line within its file, also for the keyboard's way back to it. */
export function lineKey(place: CommentPlace): string {
  return 'line' in place ? String(place.line) : `-${place.removed.oldLine}`
}

export function lineName(place: CommentPlace): string {
  return 'line' in place
    ? `line ${place.line} of ${place.file}`
    : `removed line ${place.removed.oldLine} of ${place.file}`
}

/** Where the browser keeps what was typed and not sent. */
export function commentKey(taskId: string, place?: CommentPlace): string {
  return `clawboo.comment.${taskId}${place ? `.${place.file}:${lineKey(place)}` : ''}`
}

/** What is sent of it. */
export function commentBody(text: string, place?: CommentPlace) {
  if (!place) return { body: text }
  if ('line' in place) return { body: text, file: place.file, line: place.line }
  return { body: `${removedQuote(place.removed)}${text}`, file: place.file }
}
