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

test('[NR200] an alias comes first, in any case, even when it holds a slash', () => {
  expect(ref('fast')).toBe('openai/gpt-5-mini')
  expect(ref(' FAST ')).toBe('openai/gpt-5-mini')
  expect(ref('Team/Best')).toBe('anthropic/claude-opus-5-5')
  expect(ref('gpt-5', { aliases: { 'gpt-5': 'demo/boo' } })).toBe('demo/boo')
  expect(ref('broken')).toBe('invalid')
})

test('[NR201] the first slash splits, the provider is lower-cased and may have another name, the model text is kept', () => {
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

test('[NR202] a bare name is the one provider’s that offers it; otherwise the default provider’s, with the full name said', () => {
  expect(ref('CLAUDE-sonnet-5-5')).toBe('anthropic/claude-sonnet-5-5')
  const several = resolveModelRef('shared', context())
  expect(several).toMatchObject({ ok: true, ref: 'openai/shared' })
  expect(several.ok && several.warning).toContain('openai/shared')
  const nobody = resolveModelRef('brand-new', context())
  expect(nobody).toMatchObject({ ok: true, ref: 'openai/brand-new' })
  expect(nobody.ok && nobody.warning).toContain('openai/brand-new')
  expect(ref('brand-new', { defaultModel: 'demo/boo' })).toBe('unknown_model')
  expect(ref('brand-new', { defaultModel: null })).toBe('unknown_model')
  expect(ref('brand-new', { defaultModel: 'gone/model' })).toBe('unknown_model')
})

test('[NR203] nothing typed means the default, and a stale default means the first that is set up', () => {
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

test('[NR204] an unknown name is answered with what to type, and with why a known provider cannot be used', () => {
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

test('[NR205] a list of allowed models refuses other choices, with the list', () => {
  const allowed = ['openai/gpt-5', 'anthropic/*']
  expect(ref('openai/gpt-5', { allowed })).toBe('openai/gpt-5')
  expect(ref('anthropic/anything', { allowed })).toBe('anthropic/anything')
  const refused = resolveModelRef('openai/gpt-5-mini', context({ allowed }))
  expect(refused).toMatchObject({ ok: false, code: 'not_allowed' })
  expect(refused.ok || refused.message).toContain('anthropic/*')
  expect(ref(null, { allowed: ['anthropic/*'] })).toBe('openai/gpt-5')
  expect(ref('fast', { allowed: [] })).toBe('openai/gpt-5-mini')
})

test('[NR206] a trailing @profile is split off, unless the name is known with it or it is a date', () => {
  expect(resolveModelRef('openai/gpt-5@work', context())).toMatchObject({ ref: 'openai/gpt-5', profile: 'work' })
  expect(resolveModelRef('fast@work', context())).toMatchObject({ ref: 'openai/gpt-5-mini', profile: 'work' })
  expect(resolveModelRef('anthropic/claude@20250514', context())).toMatchObject({
    ref: 'anthropic/claude@20250514',
    profile: null,
  })
  const withAt = { providers: [{ id: 'own', models: ['llama@q4'] }], defaultModel: null }
  expect(resolveModelRef('llama@q4', context(withAt))).toMatchObject({ ref: 'own/llama@q4', profile: null })
  expect(ref('openrouter/@preset/mine')).toBe('openrouter/@preset/mine')
})

test('[NR204] any text is understood or refused with words, and what is understood names a usable provider', () => {
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
      const given = context({ defaultModel })
      const resolved = resolveModelRef(typed, given)
      if (!resolved.ok) {
        expect(resolved.message).not.toBe('')
        return
      }
      expect(given.providers.map((provider) => provider.id)).toContain(resolved.provider)
      expect(resolved.model.trim()).not.toBe('')
      // A resolved ref means itself.
      if (!/@/.test(resolved.ref))
        expect(resolveModelRef(resolved.ref, { ...given, aliases: {} })).toMatchObject({ ref: resolved.ref })
    }),
  )
})
