import { type EntryBody, isObject } from './entry.ts'
import type { Message } from './message.ts'
import { nextMessage, type OpenCalls } from './pair-results.ts'

const ROLES: readonly unknown[] = ['user', 'assistant', 'toolResult']

/**
 * Throws a TypeError for entries that would break a promise of the transcript: a message without a role, a call nothing
 * could answer, a call parted from its result. They come from a mistake in this program, never from a model or a person.
 */
export function checkEntries(open: OpenCalls, bodies: readonly EntryBody[]): void {
  let calls = open
  for (const body of bodies) {
    if (body.type === 'message') calls = checkMessage(calls, body.message)
    else if (SHOWN.includes(body.type) && calls.waiting.length > 0) throw parted(body.type, calls)
  }
}

/** Entries a model sees that are no messages. */
const SHOWN: readonly string[] = ['compaction', 'branch_summary', 'custom_message']

function checkMessage(open: OpenCalls, message: Message): OpenCalls {
  if (!isObject(message) || !ROLES.includes(message.role)) throw new TypeError('a message needs a role to be written')
  if (!Array.isArray(message.content)) throw new TypeError(`a ${message.role} message needs its content to be written`)
  for (const part of message.content) {
    if (part.type !== 'toolCall') continue
    if (typeof part.id === 'string' && part.id !== '' && typeof part.name === 'string' && part.name !== '') {
      if (isObject(part.arguments)) continue
    }
    throw new TypeError('a tool call needs an id, a name and arguments to be written')
  }
  const step = nextMessage(open, message)
  if (step.fits) return step.open
  if (step.why === 'unanswered') throw parted(message.role, open)
  throw new TypeError('a tool result is only written for a call that waits for one')
}

function parted(what: string, open: OpenCalls): TypeError {
  return new TypeError(`a ${what} cannot stand between ${open.waiting[0]?.name} and its result`)
}
