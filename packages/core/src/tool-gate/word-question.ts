import type { CallValue } from './call-values.ts'
import type { ToolEffect } from './tool-effect.ts'
import { wordsOf } from './word-stem.ts'

const MAX_SHOWN = 120

const WANTS: Readonly<Record<ToolEffect, readonly [withValue: string, alone: string]>> = {
  reads: ['read', 'read something'],
  opens: ['open', 'open a page'],
  confirms: ['confirm an action with', 'confirm an action'],
  changes: ['change something with', 'change something'],
  sends: ['send something to', 'send something'],
  destroys: ['delete or cancel', 'delete or cancel something'],
  pays: ['pay', 'pay'],
}

/** One sentence that says who wants to do what to which value, and where that value comes from. */
export function wordQuestion(
  agent: string,
  tool: string,
  { effect, value, others }: { effect: ToolEffect; value: CallValue | null; others: number },
  source: string | null,
): string {
  const [withValue, alone] = WANTS[effect]
  const deed = `“${shown(wordsOf(tool).join(' '))}”`
  if (value === null) return `${shown(agent)} wants to ${alone} with ${deed}, which you did not ask for.`
  const origin = source === null ? 'is not in your words' : `comes from ${source}, not from you`
  const verb = effect === 'sends' && value.isCarried ? 'send' : withValue
  const [more, which] = others > 0 ? [` and ${others} more`, 'the first'] : ['', 'this']
  const wish = `${shown(agent)} wants to ${verb} “${shown(value.text)}”${more} with ${deed}`
  return `${wish}: ${which} ${NOUNS[value.kind]} ${origin}.`
}

const NOUNS: Readonly<Record<CallValue['kind'], string>> = {
  email: 'address',
  url: 'web address',
  account: 'account',
  path: 'path',
  recipient: 'recipient',
  id: 'item',
  secret: 'password or code',
  label: 'title',
  command: 'command',
  measure: 'number',
  text: 'text',
}

/** A value or a place as one line without characters that a person does not see. */
export function shown(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
}

/** Where a result came from, in words: the kind of place that its tool reads, and what it was asked for. */
export function placeInWords(tool: string, args: unknown): string {
  const deed = shown(wordsOf(tool).join(' '))
  const first =
    args && typeof args === 'object'
      ? Object.values(args).find((arg) => typeof arg === 'string' && arg !== '')
      : undefined
  return typeof first === 'string' ? `the result of “${deed}” (${shown(first)})` : `the result of “${deed}”`
}
