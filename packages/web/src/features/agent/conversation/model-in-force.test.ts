import type { ModelProvider } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { modelInForce, modelOf } from './model-in-force.ts'

const provider = (id: string, more: Partial<ModelProvider> = {}): ModelProvider => ({
  id,
  label: id.toUpperCase(),
  kind: 'x',
  builtIn: true,
  scripted: false,
  needsKey: true,
  keyStored: true,
  baseUrl: null,
  keyPage: null,
  state: 'ready',
  detail: null,
  models: [{ ref: `${id}/one`, id: 'one', label: 'One', contextWindowTokens: null, price: null }],
  ...more,
})
const answer = (more: { defaultModel?: string | null; providers?: ModelProvider[] } = {}) => ({
  providers: more.providers ?? [
    provider('a'),
    provider('demo', { scripted: true }),
    provider('b', { state: 'needs-key' }),
  ],
  defaults: { defaultModel: more.defaultModel ?? null, fallbackModels: [], aliases: { quick: 'a/one' } },
  demoModel: 'demo/one',
})
const none = { conversation: null, agent: null }

test('[PG69] the conversation’s choice goes before the Boo’s, and that before the default', () => {
  const all = { conversation: 'a/one', agent: 'b/one' }
  expect(modelInForce(answer({ defaultModel: 'demo/one' }), all).ref).toBe('a/one')
  expect(modelInForce(answer({ defaultModel: 'demo/one' }), { ...all, conversation: null }).ref).toBe('b/one')
  expect(modelInForce(answer({ defaultModel: 'quick' }), none)).toMatchObject({ ref: 'a/one', problem: null })
})

test('[PG69] what stands in the way is said in words, and a scripted model is called that', () => {
  expect(modelInForce(answer(), none)).toMatchObject({ ref: 'a/one', problem: null })
  const notReady = answer({ providers: [provider('b', { state: 'needs-key' })] })
  expect(modelInForce(notReady, none).problem).toContain('No model is chosen')
  expect(modelInForce(answer(), { ...none, agent: 'b/one' }).problem).toBe('B needs a key before this Boo can answer.')
  expect(modelInForce(answer(), { ...none, agent: 'b/unlisted' }).problem).toContain('needs a key')
  expect(modelInForce(answer(), { ...none, agent: 'c/x' }).problem).toContain('Nothing here serves')
  expect(modelInForce(answer(), { ...none, agent: 'demo/one' }).label).toContain('scripted, not an AI')
})

test('[PG69] a Boo that says nothing about its model has none of its own', () => {
  expect([null, {}, { model: '' }, { model: 3 }, { model: 'a/b' }].map(modelOf)).toEqual([
    null,
    null,
    null,
    null,
    'a/b',
  ])
})
