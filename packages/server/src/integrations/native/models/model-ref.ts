/** What a typed model name is looked up in. Providers are the usable ones, in the person's order. */
export interface RefContext {
  /** Alias to ref, as configured. */
  readonly aliases: Readonly<Record<string, string>>
  readonly providers: readonly RefProvider[]
  /** `provider/model`, as configured; null when nobody chose one. */
  readonly defaultModel: string | null
  /** When given and not empty, only these may be chosen: `provider/model` or `provider/*`. */
  readonly allowed?: readonly string[]
  /** Providers that are known but cannot be used, and why. */
  readonly unusable?: Readonly<Record<string, string>>
}

export interface RefProvider {
  readonly id: string
  readonly models: readonly string[]
  /** Its models are all it has: another name is a mistake, not a model we have not heard of. */
  readonly closed?: boolean
}

export type ResolvedRef =
  | {
      readonly ok: true
      readonly provider: string
      readonly model: string
      readonly ref: string
      /** What stood behind a trailing `@`. */
      readonly profile: string | null
      /** What a person should know about how the name was understood. */
      readonly warning: string | null
    }
  | {
      readonly ok: false
      readonly code: 'invalid' | 'unknown_provider' | 'unknown_model' | 'not_allowed' | 'no_models'
      readonly message: string
      /** Refs that would work. */
      readonly suggestions: readonly string[]
    }

/** Other spellings of a provider's id, for who typed one and has no provider of that very name. */
const PROVIDER_ALIASES: Readonly<Record<string, string>> = {
  'z.ai': 'zai',
  bedrock: 'amazon-bedrock',
  moonshotai: 'moonshot',
  doubao: 'volcengine',
  claude: 'anthropic',
  gemini: 'google',
}

/** Understands a model name as a person types it. Blank means the default. Never throws. */
export function resolveModelRef(text: string | null | undefined, context: RefContext): ResolvedRef {
  const typed = (text ?? '').trim()
  if (typed === '') return resolveDefault(context)
  const whole = lookUp(typed, null, context)
  const split = splitProfile(typed)
  // A name that is known with its `@` is taken as it stands: some vendors put dates and presets there.
  const resolved = split === null || isKnown(whole, context) ? whole : lookUp(split.name, split.profile, context)
  return refuseUnlisted(resolved, context)
}

function lookUp(name: string, profile: string | null, context: RefContext): ResolvedRef {
  const aliased = aliasTarget(name, context.aliases)
  if (aliased !== null) return resolveFull(aliased, profile, context)
  return name.includes('/') ? resolveFull(name, profile, context) : resolveBare(name, profile, context)
}

/** Splits at the first slash only: what follows may hold more of them. null = one side is empty. */
function splitRef(ref: string): { readonly provider: string; readonly model: string } | null {
  const slash = ref.indexOf('/')
  if (slash < 0) return null
  const provider = ref.slice(0, slash).trim().toLowerCase()
  const model = ref.slice(slash + 1).trim()
  return provider === '' || model === '' ? null : { provider, model }
}

function resolveFull(ref: string, profile: string | null, context: RefContext): ResolvedRef {
  const parts = splitRef(ref)
  if (parts === null) return refusal('invalid', `"${ref}" is not a model: write provider/model`, context, ref)
  const provider = providerNamed(parts.provider, context)
  if (provider === null) {
    const reason = context.unusable?.[canonicalId(parts.provider)] ?? context.unusable?.[parts.provider]
    return refusal(
      'unknown_provider',
      reason ?? `There is no provider "${parts.provider}" here for "${ref}"`,
      context,
      parts.model,
    )
  }
  if (provider.closed && !provider.models.includes(parts.model))
    return refusal('unknown_model', `${provider.id} has no model "${parts.model}"`, context, parts.model)
  return found(provider.id, parts.model, profile, null)
}

function resolveBare(name: string, profile: string | null, context: RefContext): ResolvedRef {
  const wanted = name.toLowerCase()
  const offers = context.providers.flatMap((provider) => {
    const model = provider.models.find((id) => id.toLowerCase() === wanted)
    return model === undefined ? [] : [{ provider, model }]
  })
  if (offers.length === 1) return found(offers[0]!.provider.id, offers[0]!.model, profile, null)
  const standard = defaultProvider(context)
  if (standard === null || (standard.closed && !standard.models.includes(name)))
    return refusal('unknown_model', `No provider here is known to offer "${name}"`, context, name)
  const model = offers.find((offer) => offer.provider === standard)?.model ?? name
  const why = offers.length === 0 ? `no provider is known to offer "${name}"` : `several providers offer "${name}"`
  return found(standard.id, model, profile, `Using ${standard.id}/${model}, because ${why}. Write the full name.`)
}

function resolveDefault(context: RefContext): ResolvedRef {
  const chosen = context.defaultModel
  if (chosen !== null && chosen.trim() !== '') {
    const resolved = lookUp(chosen.trim(), null, context)
    if (resolved.ok) return resolved
  }
  const first = context.providers.find((provider) => provider.models.length > 0)
  if (first === undefined)
    return refusal('no_models', 'No model is set up: add a provider and its key in the settings', context, '')
  const warning = chosen === null ? null : `The default model ${chosen} is not available here.`
  return found(first.id, first.models[0]!, null, warning)
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

/** `model@profile`, but not a date (`model@20250514`) and not a vendor's own `@` after a slash. */
function splitProfile(text: string): { readonly name: string; readonly profile: string } | null {
  const match = /^(.*[^/@\s])@([A-Za-z][\w.:-]*)$/.exec(text)
  return match === null ? null : { name: match[1]!, profile: match[2]! }
}

function isKnown(resolved: ResolvedRef, context: RefContext): boolean {
  if (!resolved.ok) return false
  const provider = context.providers.find((each) => each.id === resolved.provider)
  return provider?.models.includes(resolved.model) ?? false
}

function refuseUnlisted(resolved: ResolvedRef, context: RefContext): ResolvedRef {
  const allowed = context.allowed ?? []
  if (!resolved.ok || allowed.length === 0) return resolved
  const isListed = allowed.some((entry) => {
    const parts = splitRef(entry)
    return parts !== null && parts.provider === resolved.provider && ['*', resolved.model].includes(parts.model)
  })
  if (isListed) return resolved
  const message = `${resolved.ref} is not on the list of allowed models. Add it there, or use ${allowed.join(', ')}.`
  return { ok: false, code: 'not_allowed', message, suggestions: allowed.filter((entry) => !entry.endsWith('/*')) }
}

function found(provider: string, model: string, profile: string | null, warning: string | null): ResolvedRef {
  return { ok: true, provider, model, ref: `${provider}/${model}`, profile, warning }
}

type RefusalCode = Extract<ResolvedRef, { ok: false }>['code']

function refusal(code: RefusalCode, what: string, context: RefContext, wanted: string): ResolvedRef {
  const suggestions = suggestedRefs(wanted, context)
  const hint = suggestions.length > 0 ? `. Type for example ${suggestions.join(', ')}.` : '.'
  return { ok: false, code, message: `${what}${hint}`, suggestions }
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
