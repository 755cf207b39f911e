import type { PostAuthor } from './post.ts'

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
