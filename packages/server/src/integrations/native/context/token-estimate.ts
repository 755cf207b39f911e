import type { Message } from '../session/message.ts'

export const CHARS_PER_TOKEN = 4
/** What an image counts. */
const IMAGE_CHARS = 8000

/** A guess at how much of a model's window a message takes; it errs by up to a fifth, see `SAFETY_MARGIN`. */
export function charsOf(message: Message): number {
  let chars = 0
  for (const part of message.content) {
    if (part.type === 'text') chars += part.text.length
    else if (part.type === 'image') chars += IMAGE_CHARS
    else if (part.type === 'thinking') chars += part.thinking.length
    else chars += part.name.length + JSON.stringify(part.arguments).length
  }
  return chars
}

export function tokensOf(message: Message): number {
  return Math.ceil(charsOf(message) / CHARS_PER_TOKEN)
}

export interface TokenEstimator {
  of(message: Message): number
  total(messages: readonly Message[]): number
}

/** Looks at every message once, so that a long conversation is not measured anew in every turn. */
export function createTokenEstimator(): TokenEstimator {
  const known = new WeakMap<Message, number>()
  const of = (message: Message) => {
    let tokens = known.get(message)
    if (tokens === undefined) {
      tokens = tokensOf(message)
      known.set(message, tokens)
    }
    return tokens
  }
  return { of, total: (messages) => messages.reduce((sum, message) => sum + of(message), 0) }
}
