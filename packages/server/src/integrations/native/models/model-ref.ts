/** The data for resolving a model name. Contains only usable providers, in the person's order. */
export interface RefContext {
  /** Configured aliases and their refs. */
  readonly aliases: Readonly<Record<string, string>>
  readonly providers: readonly RefProvider[]
  /** The configured `provider/model`; null = none. */
  readonly defaultModel: string | null
  /** Known providers that cannot be used, with the reason. */
  readonly unusable?: Readonly<Record<string, string>>
}

export interface RefProvider {
  readonly id: string
  readonly models: readonly string[]
  /** `models` is complete: any other name is a mistake and not an unlisted model. */
  readonly closed?: boolean
}

export type ResolvedRef =
  | {
      readonly ok: true
      readonly provider: string
      readonly model: string
      readonly ref: string
      /** A note for the person about how the name was resolved. */
      readonly warning: string | null
    }
  | {
      readonly ok: false
      readonly code: 'invalid' | 'unknown_provider' | 'unknown_model' | 'no_models'
      readonly message: string
      /** Refs that would work. */
      readonly suggestions: readonly string[]
    }

/** Other names of providers. Used only if no provider has exactly that name. */
const PROVIDER_ALIASES: Readonly<Record<string, string>> = {
  'z.ai': 'zai',
  bedrock: 'amazon-bedrock',
  moonshotai: 'moonshot',
  doubao: 'volcengine',
  claude: 'anthropic',
  gemini: 'google',
}

/** Resolves a model name as typed by a person. Blank = the default model. Never throws. */
export function resolveModelRef(text: string | null | undefined, context: RefContext): ResolvedRef {
  const typed = (text ?? '').trim()
  if (typed === '') return resolveDefault(context)
  return lookUp(typed, context)
}

function lookUp(name: string, context: RefContext): ResolvedRef {
  const aliased = aliasTarget(name, context.aliases)
  if (aliased !== null) return resolveFull(aliased, context)
  return name.includes('/') ? resolveFull(name, context) : resolveBare(name, context)
}

/** Splits at the first slash only, because a model id can contain more slashes. null = one side is empty. */
function splitRef(ref: string): { readonly provider: string; readonly model: string } | null {
  const slash = ref.indexOf('/')
  if (slash < 0) return null
  const provider = ref.slice(0, slash).trim().toLowerCase()
  const model = ref.slice(slash + 1).trim()
  return provider === '' || model === '' ? null : { provider, model }
}

function resolveFull(ref: string, context: RefContext): ResolvedRef {
  const parts = splitRef(ref)
  if (parts === null) return refusal('invalid', `"${ref}" is not a model: write provider/model`, context, ref)
  const provider = providerNamed(parts.provider, context)
  if (provider === null) {
    const reason = context.unusable?.[canonicalId(parts.provider)] ?? context.unusable?.[parts.provider]
    return refusal(
      'unknown_provider',
      reason ?? `There is no provider "${parts.provider}" for "${ref}"`,
      context,
      parts.model,
    )
  }
  if (provider.closed && !provider.models.includes(parts.model))
    return refusal('unknown_model', `${provider.id} has no model "${parts.model}"`, context, parts.model)
  return found(provider.id, parts.model, null)
}

function resolveBare(name: string, context: RefContext): ResolvedRef {
  const wanted = name.toLowerCase()
  const offers = context.providers.flatMap((provider) => {
    const model = provider.models.find((id) => id.toLowerCase() === wanted)
    return model === undefined ? [] : [{ provider, model }]
  })
  if (offers.length === 1) return found(offers[0]!.provider.id, offers[0]!.model, null)
  const fallback = defaultProvider(context)
  if (fallback === null || (fallback.closed && !fallback.models.includes(name)))
    return refusal('unknown_model', `No known provider offers "${name}"`, context, name)
  const model = offers.find((offer) => offer.provider === fallback)?.model ?? name
  const why = offers.length === 0 ? `no known provider offers "${name}"` : `several providers offer "${name}"`
  return found(fallback.id, model, `Using ${fallback.id}/${model}, because ${why}. Write the full name.`)
}

function resolveDefault(context: RefContext): ResolvedRef {
  const chosen = context.defaultModel
  if (chosen !== null && chosen.trim() !== '') {
    const resolved = lookUp(chosen.trim(), context)
    if (resolved.ok) return resolved
  }
  const first = context.providers.find((provider) => provider.models.length > 0)
  if (first === undefined)
    return refusal('no_models', 'No model is set up: add a provider and its key in the settings', context, '')
  const warning = chosen === null ? null : `The default model ${chosen} is not available.`
  return found(first.id, first.models[0]!, warning)
}

function defaultProvider(context: RefContext): RefProvider | null {
  const chosen = context.defaultModel
  if (chosen === null) return null
  const target = aliasTarget(chosen.trim(), context.aliases) ?? chosen
  const parts = splitRef(target)
  return parts === null ? null : providerNamed(parts.provider, context)
}

function providerNamed(id: string, context: RefContext): RefProvider | null {
  const named = (name: string) => context.providers.find((provider) => provider.id === name) ?? null
  return named(id) ?? named(canonicalId(id))
}

const canonicalId = (id: string): string => (Object.hasOwn(PROVIDER_ALIASES, id) ? PROVIDER_ALIASES[id]! : id)

function aliasTarget(name: string, aliases: Readonly<Record<string, string>>): string | null {
  const wanted = name.toLowerCase()
  for (const [alias, target] of Object.entries(aliases)) if (alias.trim().toLowerCase() === wanted) return target.trim()
  return null
}

function found(provider: string, model: string, warning: string | null): ResolvedRef {
  return { ok: true, provider, model, ref: `${provider}/${model}`, warning }
}

type RefusalCode = Extract<ResolvedRef, { ok: false }>['code']

function refusal(code: RefusalCode, problem: string, context: RefContext, wanted: string): ResolvedRef {
  const suggestions = suggestedRefs(wanted, context)
  const hint = suggestions.length > 0 ? `. Try ${suggestions.join(', ')}.` : '.'
  return { ok: false, code, message: `${problem}${hint}`, suggestions }
}

function suggestedRefs(wanted: string, context: RefContext): string[] {
  const text = wanted.toLowerCase()
  const own = context.providers.find((provider) => provider.id === canonicalId(text))
  const near = [...(own ? [own] : []), ...context.providers].flatMap((provider) =>
    provider.models
      .filter(
        (model) =>
          provider === own ||
          (text !== '' && (model.toLowerCase().includes(text) || text.includes(model.toLowerCase()))),
      )
      .map((model) => `${provider.id}/${model}`),
  )
  const firsts = context.providers.flatMap((provider) =>
    provider.models[0] === undefined ? [] : [`${provider.id}/${provider.models[0]}`],
  )
  return [...new Set([...near, ...firsts])].slice(0, 3)
}
