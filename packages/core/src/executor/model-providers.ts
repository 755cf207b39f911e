/** Where models come from, as a person sets it up. An integration serves it; keys go in and never come out. */
export interface ModelProviders {
  list(): Promise<readonly ModelProvider[]>
  /** Throws `provider_not_found`. */
  check(providerId: string): Promise<KeyCheck>
  /** Stores the key when the check says ok, or in any case with `storeAnyway`. Throws `provider_not_found`. */
  storeKey(
    providerId: string,
    key: string,
    storeAnyway: boolean,
  ): Promise<{ readonly stored: boolean; readonly check: KeyCheck }>
  /** Throws `provider_not_found`. Nothing happens when there is none. */
  removeKey(providerId: string): Promise<void>
  /** Makes or changes one of the person's own. Throws `provider_built_in`. */
  save(providerId: string, provider: OwnProvider): Promise<ModelProvider>
  /** Takes its key with it. Throws `provider_built_in` and `provider_not_found`. */
  remove(providerId: string): Promise<void>
  defaults(): Promise<ModelDefaults>
  /** An absent field stays as it is. Throws `model_unknown`. */
  setDefaults(patch: Partial<ModelDefaults>): Promise<ModelDefaults>
  /** Programs on this machine that serve models. */
  findLocal(): Promise<readonly LocalProgram[]>
  /** Tells of changes nobody asked for, such as a key that is refused from now on. */
  onChange(listener: () => void): () => void
}

/** Model providers before they are loaded. */
export interface ModelProvidersDefinition {
  /** A model that needs no key; null = there is none. */
  readonly demoModel: string | null
  /** Called by the host at the first use, and again only if it failed. */
  load(): Promise<ModelProviders>
}

export interface ModelProvider {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly builtIn: boolean
  /** Its answers are written beforehand; no model is behind them. */
  readonly scripted: boolean
  readonly needsKey: boolean
  readonly keyStored: boolean
  readonly baseUrl: string | null
  /** Where a person gets a key. */
  readonly keyPage: string | null
  readonly state: 'ready' | 'needs-key' | 'unreachable' | 'cooling'
  readonly detail: string | null
  readonly models: readonly ProvidedModel[]
}

export interface ProvidedModel {
  /** How an agent names it. */
  readonly ref: string
  readonly id: string
  readonly label: string
  readonly contextWindowTokens: number | null
  /** Dollars per million tokens; null = not known. */
  readonly price: { readonly inputUsd: number; readonly outputUsd: number } | null
}

/** A provider a person describes: anything that speaks the OpenAI-compatible protocol. */
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
  /** Refs of the models it has. */
  readonly models: readonly string[]
}
