import type { PostAuthor } from './post.ts'

export const AUTHOR_ID_CHARACTERS = 128

const ALLOWED = /^[\w.@/+-]$/
/** In no id that is allowed, so that a cleaned id is never somebody else's. */
const MARK = '~'

/** Why an agent cannot have this id; null = it can. */
export function findAuthorIdProblem(id: unknown): string | null {
  if (typeof id !== 'string' || id === '') return 'An id is a text with something in it.'
  if (id.length > AUTHOR_ID_CHARACTERS)
    return `The id has ${id.length} characters; at most ${AUTHOR_ID_CHARACTERS} fit.`
  if (id === 'system') return 'The id “system” is the room’s own.'
  return [...id].every((character) => ALLOWED.test(character))
    ? null
    : 'An id holds only plain letters, digits and . _ @ / + -'
}

/** An author as the envelope names it: one word that can end neither its line nor its field. */
export function envelopeAuthor(author: PostAuthor): string {
  if (author.kind === 'system') return 'system'
  const id = cleanAuthorId(author.id)
  return author.kind === 'person' ? `person:${id}` : id
}

/** An id that is allowed, as it is; any other one with a mark in place of what is not. */
export function cleanAuthorId(id: string): string {
  if (findAuthorIdProblem(id) === null) return id
  if (id === 'system') return `${MARK}system`
  const start = [...id.slice(0, AUTHOR_ID_CHARACTERS - 1)]
  const cleaned = start.map((character) => (ALLOWED.test(character) ? character : MARK)).join('')
  return cleaned.includes(MARK) ? cleaned : `${cleaned}${MARK}`
}
