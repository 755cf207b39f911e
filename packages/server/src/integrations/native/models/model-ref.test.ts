import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RefContext, resolveModelRef } from './model-ref.ts'

const context = (overrides: Partial<RefContext> = {}): RefContext => ({
  aliases: { Fast: 'openai/gpt-5-mini', 'team/best': 'anthropic/claude-opus-5-5', broken: 'nowhere' },
  providers: [
    { id: 'anthropic', models: ['claude-opus-5-5', 'claude-sonnet-5-5'] },
    { id: 'openai', models: ['gpt-5', 'gpt-5-mini', 'shared'] },
    { id: 'openrouter', models: ['openrouter/auto', 'shared'] },
    { id: 'zai', models: ['glm'] },
    { id: 'demo', models: ['boo'], closed: true },
  ],
  defaultModel: 'openai/gpt-5',
  ...overrides,
})
const ref = (text: string | null, overrides: Partial<RefContext> = {}) => {
  const resolved = resolveModelRef(text, context(overrides))
  return resolved.ok ? resolved.ref : resolved.code
}

test('[NR200] an alias comes first, in upper or lower case, even if it contains a slash', () => {
  expect(ref('fast')).toBe('openai/gpt-5-mini')
  expect(ref(' FAST ')).toBe('openai/gpt-5-mini')
  expect(ref('Team/Best')).toBe('anthropic/claude-opus-5-5')
  expect(ref('gpt-5', { aliases: { 'gpt-5': 'demo/boo' } })).toBe('demo/boo')
  expect(ref('broken')).toBe('invalid')
})

test('[NR201] a name is split at the first slash, the provider is lower-cased and can have an alias, and the model is kept as typed', () => {
  expect(ref('OpenRouter/Meta-Llama/Llama-3.3:free')).toBe('openrouter/Meta-Llama/Llama-3.3:free')
  expect(ref('openrouter/openrouter/auto')).toBe('openrouter/openrouter/auto')
  expect(ref(' Anthropic / Claude-X ')).toBe('anthropic/Claude-X')
  expect(ref('z.ai/glm')).toBe('zai/glm')
  expect(ref('Claude/x')).toBe('anthropic/x')
  const named = (id: string) => ({ providers: [{ id, models: ['x'] }], defaultModel: null })
  expect(ref('bedrock/x', named('amazon-bedrock'))).toBe('amazon-bedrock/x')
  expect(ref('moonshotai/x', named('moonshot'))).toBe('moonshot/x')
  expect(ref('doubao/x', named('volcengine'))).toBe('volcengine/x')
  expect(ref('gemini/x', named('gemini'))).toBe('gemini/x')
  for (const text of ['/', '/x', 'x/', ' / ']) expect(ref(text)).toBe('invalid')
})

test('[NR202] a bare name goes to the only provider that offers it, or else to the default provider with a warning', () => {
  expect(ref('CLAUDE-sonnet-5-5')).toBe('anthropic/claude-sonnet-5-5')
  const several = resolveModelRef('shared', context())
  expect(several).toMatchObject({ ok: true, ref: 'openai/shared' })
  expect(several.ok && several.warning).toContain('openai/shared')
  const unknown = resolveModelRef('brand-new', context())
  expect(unknown).toMatchObject({ ok: true, ref: 'openai/brand-new' })
  expect(unknown.ok && unknown.warning).toContain('openai/brand-new')
  expect(ref('brand-new', { defaultModel: 'demo/boo' })).toBe('unknown_model')
  expect(ref('brand-new', { defaultModel: null })).toBe('unknown_model')
  expect(ref('brand-new', { defaultModel: 'gone/model' })).toBe('unknown_model')
})

test('[NR203] a blank name is the default model, and an unusable default is replaced by the first usable model', () => {
  expect(ref(null)).toBe('openai/gpt-5')
  expect(ref('  ')).toBe('openai/gpt-5')
  expect(ref('', { defaultModel: 'fast' })).toBe('openai/gpt-5-mini')
  const stale = resolveModelRef(null, context({ defaultModel: 'gone/model' }))
  expect(stale).toMatchObject({ ok: true, ref: 'anthropic/claude-opus-5-5' })
  expect(stale.ok && stale.warning).toContain('gone/model')
  expect(ref(null, { defaultModel: 'demo/other' })).toBe('anthropic/claude-opus-5-5')
  expect(ref(null, { defaultModel: null, providers: [{ id: 'demo', models: ['boo'], closed: true }] })).toBe('demo/boo')
  expect(ref(null, { providers: [] })).toBe('no_models')
})

test('[NR204] an unknown name is refused with suggestions, and with the reason if a known provider is unusable', () => {
  const unknown = resolveModelRef('opnai/gpt-5', context())
  expect(unknown).toMatchObject({ ok: false, code: 'unknown_provider' })
  expect(unknown.ok || unknown.suggestions[0]).toBe('openai/gpt-5')
  expect(unknown.ok || unknown.message).toContain('openai/gpt-5')
  const keyless = resolveModelRef('gemini/x', context({ unusable: { google: 'Google Gemini has no key yet' } }))
  expect(keyless.ok || keyless.message).toContain('has no key yet')
  const provider = resolveModelRef('anthropic', context({ defaultModel: null }))
  expect(provider.ok || provider.suggestions[0]).toBe('anthropic/claude-opus-5-5')
  expect(resolveModelRef('demo/other', context())).toMatchObject({ ok: false, code: 'unknown_model' })
})

test('[NR204] any text is resolved to a usable provider or refused with a message', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('openai', 'OPENAI', 'gpt-5', '/', '@', ' ', 'fast', 'demo', 'boo', '__proto__'), {
        maxLength: 6,
      })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, fc.option(fc.string()), (typed, defaultModel) => {
      const refContext = context({ defaultModel })
      const resolved = resolveModelRef(typed, refContext)
      if (!resolved.ok) {
        expect(resolved.message).not.toBe('')
        return
      }
      expect(refContext.providers.map((provider) => provider.id)).toContain(resolved.provider)
      expect(resolved.model.trim()).not.toBe('')
      // A resolved ref resolves to itself.
      expect(resolveModelRef(resolved.ref, { ...refContext, aliases: {} })).toMatchObject({ ref: resolved.ref })
    }),
  )
})
