import type { Message } from '../session/message.ts'

export const CHARS_PER_TOKEN = 4
/** The estimate for one image. */
const IMAGE_CHARS = 8000

/** Estimates the size of a message. Can be too low by up to a fifth, see `SAFETY_MARGIN`. */
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

/** Measures every message only once, because a long conversation is estimated before every model call. */
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
