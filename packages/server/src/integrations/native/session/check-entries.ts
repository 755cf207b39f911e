import { type EntryBody, isObject } from './entry.ts'
import type { Message } from './message.ts'
import { nextMessage, type OpenCalls } from './pair-results.ts'

const ROLES: readonly unknown[] = ['user', 'assistant', 'toolResult']

/**
 * Throws a TypeError for entries that would make the transcript invalid: a message without a role, a call that nothing
 * could answer, or a call separated from its result. Only a bug in this program produces such entries.
 */
export function checkEntries(open: OpenCalls, bodies: readonly EntryBody[]): void {
  let calls = open
  for (const body of bodies) {
    if (body.type === 'message') calls = checkMessage(calls, body.message)
    else if (SHOWN.includes(body.type) && calls.waiting.length > 0) throw separated(body.type, calls)
  }
}

/** Entry types that a model sees although they are not messages. */
const SHOWN: readonly string[] = ['compaction', 'branch_summary', 'custom_message']

function checkMessage(open: OpenCalls, message: Message): OpenCalls {
  if (!isObject(message) || !ROLES.includes(message.role)) throw new TypeError('a message needs a role')
  if (!Array.isArray(message.content)) throw new TypeError(`a ${message.role} message needs content`)
  for (const part of message.content) {
    if (part.type !== 'toolCall') continue
    if (typeof part.id === 'string' && part.id !== '' && typeof part.name === 'string' && part.name !== '') {
      if (isObject(part.arguments)) continue
    }
    throw new TypeError('a tool call needs an id, a name and arguments')
  }
  const step = nextMessage(open, message)
  if (step.fits) return step.open
  if (step.why === 'unanswered') throw separated(message.role, open)
  throw new TypeError('a tool result needs an open call')
}

function separated(entryType: string, open: OpenCalls): TypeError {
  return new TypeError(`a ${entryType} cannot come between ${open.waiting[0]?.name} and its result`)
}
