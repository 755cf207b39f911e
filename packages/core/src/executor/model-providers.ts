/** The model providers that a person has set up. An integration implements this. Keys are stored and never returned. */
export interface ModelProviders {
  list(): Promise<readonly ModelProvider[]>
  /** Throws `provider_not_found`. */
  check(providerId: string): Promise<KeyCheck>
  /** Stores the key when the check succeeds, or always with `storeAnyway`. Throws `provider_not_found`. */
  storeKey(
    providerId: string,
    key: string,
    storeAnyway: boolean,
  ): Promise<{ readonly stored: boolean; readonly check: KeyCheck }>
  /** Does nothing when no key is stored. Throws `provider_not_found`. */
  removeKey(providerId: string): Promise<void>
  /** Creates or changes one of the person's own providers. Throws `provider_built_in`. */
  save(providerId: string, provider: OwnProvider): Promise<ModelProvider>
  /** Also removes the provider's key. Throws `provider_built_in` and `provider_not_found`. */
  remove(providerId: string): Promise<void>
  defaults(): Promise<ModelDefaults>
  /** An absent field is not changed. Throws `model_unknown`. */
  setDefaults(patch: Partial<ModelDefaults>): Promise<ModelDefaults>
  /** Finds programs on this machine that serve models. */
  findLocal(): Promise<readonly LocalProgram[]>
  /** Reports changes that no person made, such as a key that a provider now rejects. */
  onChange(listener: () => void): () => void
}

/** Model providers before they are loaded. */
export interface ModelProvidersDefinition {
  /** A model that needs no key; null = none. */
  readonly demoModel: string | null
  /** Called by the host at the first use, and again only after a failure. */
  load(): Promise<ModelProviders>
}

export interface ModelProvider {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly builtIn: boolean
  /** The answers are scripted; no real model is called. */
  readonly scripted: boolean
  readonly needsKey: boolean
  readonly keyStored: boolean
  readonly baseUrl: string | null
  /** The page on which a person gets a key. */
  readonly keyPage: string | null
  readonly state: 'ready' | 'needs-key' | 'unreachable' | 'cooling'
  readonly detail: string | null
  readonly models: readonly ProvidedModel[]
}

export interface ProvidedModel {
  /** The name that an agent's settings use. */
  readonly ref: string
  readonly id: string
  readonly label: string
  readonly contextWindowTokens: number | null
  /** Dollars per million tokens; null = unknown. */
  readonly price: { readonly inputUsd: number; readonly outputUsd: number } | null
}

/** A provider that a person describes. It must use the OpenAI-compatible protocol. */
export interface OwnProvider {
  readonly label: string
  readonly baseUrl: string
  readonly models?: readonly { readonly id: string; readonly contextWindowTokens?: number }[]
}

export interface KeyCheck {
  readonly result: 'ok' | 'refused' | 'unreachable'
  readonly detail: string | null
}

export interface ModelDefaults {
  readonly defaultModel: string | null
  readonly fallbackModels: readonly string[]
  readonly aliases: Readonly<Record<string, string>>
}

export interface LocalProgram {
  readonly id: string
  readonly label: string
  readonly found: boolean
  readonly detail: string | null
  /** The refs of the provider's models. */
  readonly models: readonly string[]
}
