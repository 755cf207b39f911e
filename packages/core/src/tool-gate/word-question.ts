import type { CallValue } from './call-values.ts'
import type { ToolEffect } from './tool-effect.ts'
import { wordsOf } from './word-stem.ts'

const MAX_SHOWN = 120

const WANTS: Readonly<Record<ToolEffect, string>> = {
  reads: 'read',
  opens: 'open',
  confirms: 'confirm an action with',
  changes: 'change something with',
  sends: 'send something to',
  destroys: 'delete',
  pays: 'pay with',
}

/** One sentence that says who wants to do what to which value, and where that value comes from. */
export function wordQuestion(
  agent: string,
  effect: ToolEffect,
  tool: string,
  value: CallValue | null,
  source: string | null,
): string {
  const deed = wordsOf(tool).join(' ')
  if (value === null)
    return `${agent} wants to ${effect === 'opens' ? 'open a page' : VERBS[effect]} (${deed}), which you did not ask for.`
  const from = source === null ? 'is not in your words or in anything it read' : `comes from ${source}, not from you`
  return `${agent} wants to ${WANTS[effect]} “${shown(value.text)}” (${deed}); this ${NOUNS[value.kind]} ${from}.`
}

const VERBS: Readonly<Record<ToolEffect, string>> = {
  reads: 'read something',
  opens: 'open a page',
  confirms: 'confirm an action',
  changes: 'change something',
  sends: 'send something',
  destroys: 'delete something',
  pays: 'pay',
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
  const deed = wordsOf(tool).join(' ')
  const first =
    args && typeof args === 'object'
      ? Object.values(args).find((arg) => typeof arg === 'string' && arg !== '')
      : undefined
  return typeof first === 'string' ? `the result of ${deed} (${shown(first)})` : `the result of ${deed}`
}
