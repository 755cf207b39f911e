import type { ModelProvider } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { modelInForce, modelOf } from './model-in-force.ts'

const model = (owner: string, id: string) => ({
  ref: `${owner}/${id}`,
  id,
  label: id,
  contextWindowTokens: null,
  price: null,
})
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
  models: [{ ...model(id, 'one'), label: 'One' }],
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

test('[PG69] the conversation’s model comes before the Boo’s, and the Boo’s before the default', () => {
  const all = { conversation: 'a/one', agent: 'b/one' }
  expect(modelInForce(answer({ defaultModel: 'demo/one' }), all).ref).toBe('a/one')
  expect(modelInForce(answer({ defaultModel: 'demo/one' }), { ...all, conversation: null }).ref).toBe('b/one')
  expect(modelInForce(answer({ defaultModel: 'quick' }), none)).toMatchObject({ ref: 'a/one', problem: null })
})

test('[PG69] a problem with the model is in words, and a scripted model is marked as scripted', () => {
  expect(modelInForce(answer(), none)).toMatchObject({ ref: 'a/one', problem: null })
  const notReady = answer({ providers: [provider('b', { state: 'needs-key' })] })
  expect(modelInForce(notReady, none).problem).toContain('No model is set')
  expect(modelInForce(answer(), { ...none, agent: 'b/one' }).problem).toBe('B needs a key before this Boo can reply.')
  expect(modelInForce(answer(), { ...none, agent: 'b/unlisted' }).problem).toContain('needs a key')
  expect(modelInForce(answer(), { ...none, agent: 'c/x' }).problem).toContain('No provider has')
  expect(modelInForce(answer(), { ...none, agent: 'demo/one' }).label).toContain('scripted, not an AI')
})

test('[PG69] a Boo without a model setting has no model of its own', () => {
  expect([null, {}, { model: '' }, { model: 3 }, { model: 'a/b' }].map(modelOf)).toEqual([
    null,
    null,
    null,
    null,
    'a/b',
  ])
})

test('[PG155] aliases and provider ids ignore case, and a model’s name alone finds its provider', () => {
  const providers = [
    provider('a', { models: [model('a', 'One'), model('a', 'both')] }),
    provider('b', { models: [model('b', 'both')] }),
    provider('c', { models: [model('c', 'Two')], state: 'needs-key' }),
  ]
  const of = (agent: string, defaultModel: string | null = null) => {
    const { ref, problem } = modelInForce(answer({ providers, defaultModel }), { conversation: null, agent })
    return [ref, problem === null]
  }
  expect(of('QUICK')).toEqual(['a/one', true])
  expect(of(' quick ')).toEqual(['a/one', true])
  expect(of('A/One')).toEqual(['a/One', true])
  expect(of('one')).toEqual(['a/One', true])
  expect(of('both', 'b/both')).toEqual(['b/both', true])
  expect(of('both')).toEqual(['both', false])
  expect(of('two')).toEqual(['two', false])
})

test('[PG155] an unusable default is replaced by the first usable model, as on the server', () => {
  expect(modelInForce(answer({ defaultModel: 'b/one' }), none)).toMatchObject({ ref: 'a/one', problem: null })
  const resting = answer({ providers: [provider('a', { state: 'cooling' })] })
  expect(modelInForce(resting, none)).toMatchObject({ ref: 'a/one', problem: null })
  const nothing = answer({ defaultModel: 'b/one', providers: [provider('b', { state: 'needs-key' })] })
  expect(modelInForce(nothing, none).problem).toBe('B needs a key before this Boo can reply.')
})

test('[PG155] a model’s name has no remarks, and a scripted provider has only its listed models', () => {
  const of = (agent: string) => modelInForce(answer(), { conversation: null, agent })
  expect(of('demo/one')).toMatchObject({ name: 'One', scripted: true })
  expect(of('demo/other').problem).toBe('DEMO has no model other.')
  expect(of('a/vendor/unlisted')).toMatchObject({ name: 'vendor/unlisted', problem: null })
})
