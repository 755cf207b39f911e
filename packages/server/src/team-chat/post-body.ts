import { ClawbooError } from '@clawboo/core'
import { storableText } from '../store/storable-text.ts'

export const POST_CHARACTERS = 32_000

/** What may stand in a post: whole characters, no NUL, something to read. Throws `request_invalid`. */
export function checkBody(body: string): string {
  if (body.trim() === '') throw bodyInvalid('A post has something to read in it.')
  if (body.length > POST_CHARACTERS)
    throw bodyInvalid(`The post has ${body.length} characters; at most ${POST_CHARACTERS} fit.`)
  return storableText(body, POST_CHARACTERS)
}

/** For what nobody can be asked to shorten: it is cut, with a mark. Still throws when there is nothing to read. */
export function cutBody(body: string): string {
  return checkBody(storableText(body, POST_CHARACTERS))
}

function bodyInvalid(message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'body', message }] } })
}
