import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AssistantMessage, Message } from './message.ts'
import { historyFor, type ProviderFamily } from './provider-hygiene.ts'
import { assistant, call, isPaired, result, textOf, turns, user } from './test-messages.ts'

const FAMILIES: readonly ProviderFamily[] = ['anthropic', 'google', 'mistral', 'openai-responses', 'chat-completions']
const callIds = (messages: readonly Message[]) =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .flatMap((part) => (part.type === 'toolCall' ? [part.id] : []))
const roles = (messages: readonly Message[]) => messages.map(({ role }) => role)
const thinking = (thought: string, options?: object): AssistantMessage['content'][number] =>
  ({
    type: 'thinking',
    thinking: thought,
    ...(options ? { providerOptions: options } : {}),
  }) as AssistantMessage['content'][number]

test('[NR340] for every provider each call has one result and an id of its own, and the history itself stays as it is', () => {
  fc.assert(
    fc.property(fc.array(turns), fc.array(fc.nat(30)), fc.constantFrom(...FAMILIES), (groups, missing, family) => {
      const messages = groups.flat().filter((_, at) => !missing.includes(at))
      const before = JSON.stringify(messages)
      const history = historyFor(family, messages)
      expect(isPaired(history)).toBe(true)
      expect(new Set(callIds(history)).size).toBe(callIds(history).length)
      expect(JSON.stringify(messages)).toBe(before)
      expect(historyFor(family, messages)).toEqual(history)
    }),
  )
})

test('[NR340] an answer without any content is left out', () => {
  const messages = [user('a'), assistant(), user('b'), assistant(' '), user('c')]
  expect(roles(historyFor('chat-completions', messages))).toEqual(['user', 'user', 'user'])
})

test('[NR341] Anthropic gets one question at a time, thoughts only with its signature, and ids of its alphabet', () => {
  const messages = [
    user('a'),
    user('b'),
    assistant(
      thinking('unsigned'),
      thinking('signed', { anthropic: { signature: 'sig' } }),
      thinking('foreign', { openai: { itemId: 'x' } }),
      call('toolu_01-x'),
      call('call|fc'),
    ),
    result('toolu_01-x'),
    result('call|fc'),
    assistant(thinking('alone')),
    user('c'),
  ]
  const history = historyFor('anthropic', messages)
  expect(roles(history)).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'user'])
  expect(textOf(history[0])).toBe('ab')
  expect(JSON.stringify(history)).not.toMatch(/unsigned|foreign|alone|fc"/)
  expect(JSON.stringify(history)).toContain('signed')
  expect(callIds(history)[0]).toBe('toolu_01-x')
  for (const id of callIds(history)) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
})

test('[NR342] Google gets turns that alternate and begin with a question, and ids of letters and digits', () => {
  const messages = [assistant('hello'), assistant('there', call('call_1')), result('call_1'), user('a'), user('b')]
  const history = historyFor('google', messages)
  expect(roles(history)).toEqual(['user', 'assistant', 'toolResult', 'user'])
  expect(history.map(textOf)).toEqual(['(continue)', 'hellothere<toolCall>', 'done', 'ab'])
  for (const id of callIds(history)) expect(id).toMatch(/^[a-zA-Z0-9]+$/)
})

test('[NR343] Mistral gets ids of nine letters and digits', () => {
  const messages = [user('go'), assistant(call('call_1'), call('abcDEF123')), result('abcDEF123'), result('call_1')]
  const ids = callIds(historyFor('mistral', messages))
  expect(ids[1]).toBe('abcDEF123')
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
})

test('[NR344] chat completions get the thoughts of this turn and none of older ones', () => {
  const messages = [
    user('a'),
    assistant(thinking('old'), 'x'),
    user('b'),
    assistant(thinking('new'), call('c1')),
    result('c1'),
  ]
  const text = JSON.stringify(historyFor('chat-completions', messages))
  expect(text).toContain('"new"')
  expect(text).not.toContain('"old"')
})
