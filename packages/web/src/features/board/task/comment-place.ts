/** The position of a comment in a diff. A removed line has no new number, so its comment quotes it. */
export type CommentPlace =
  | { readonly file: string; readonly line: number }
  | { readonly file: string; readonly removed: RemovedLine }

export interface RemovedLine {
  readonly oldLine: number
  readonly text: string
}

const QUOTED_CHARACTERS = 200

/** The start of a comment on a removed line, unique within a file. */
export function removedQuote({ oldLine, text }: RemovedLine): string {
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text
  const quoted = cut.trim() === '' ? 'it was empty' : cut.includes('`') ? cut.trim() : `\`${cut.trim()}\``
  return `> Removed line ${oldLine}: ${quoted}\n\n`
}

/** A key for the line within its file, also used to return the focus to it. */
export function lineKey(place: CommentPlace): string {
  return 'line' in place ? String(place.line) : `-${place.removed.oldLine}`
}

export function lineName(place: CommentPlace): string {
  return 'line' in place
    ? `line ${place.line} of ${place.file}`
    : `removed line ${place.removed.oldLine} of ${place.file}`
}

export function commentKey(taskId: string, place?: CommentPlace): string {
  return `clawboo.comment.${taskId}${place ? `.${place.file}:${lineKey(place)}` : ''}`
}

export function commentBody(text: string, place?: CommentPlace) {
  if (!place) return { body: text }
  if ('line' in place) return { body: text, file: place.file, line: place.line }
  return { body: `${removedQuote(place.removed)}${text}`, file: place.file }
}
