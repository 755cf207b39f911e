import {
  ANTHROPIC_MODELS,
  DEMO_MODELS,
  FREE,
  GOOGLE_MODELS,
  type ModelRow,
  OPENAI_MODELS,
  OPENROUTER_MODELS,
} from './known-models.ts'

/** The protocol of a provider. `demo` is the scripted model in this process. */
export type Wire = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google' | 'openai-compatible' | 'demo'

/** The facts about one provider. */
export interface ProviderRow {
  readonly id: string
  readonly label: string
  readonly wire: Wire
  readonly baseUrl: string
  /** The name of its key in the vault; null = it needs no key. */
  readonly secretName: string | null
  readonly needsKey: boolean
  /** The web page where a person gets a key. */
  readonly keyPage: string | null
  readonly models: readonly ModelRow[]
  /** `models` is complete. */
  readonly closed: boolean
  /** Runs on this machine. Its models are discovered. */
  readonly isLocal: boolean
  /** False for the scripted model, which is labelled wherever it appears. */
  readonly isAi: boolean
  /** Its answers contain their cost. */
  readonly reportsCost: boolean
  /** How long a model can be silent. */
  readonly idleMs: number
  /** Why the configuration is not usable. */
  readonly problem: string | null
}

/** A person's settings for a provider. An id that is not built in, with a `baseUrl`, defines a new provider. */
export interface ProviderSettings {
  readonly label?: string
  readonly baseUrl?: string
  /** Only for `openai`: the protocol. */
  readonly api?: 'responses' | 'chat'
  /** For a custom provider: whether it needs a key. */
  readonly hasKey?: boolean
  /** Listed before the built-in models. An equal id replaces the built-in model. */
  readonly models?: readonly ModelSettings[]
  readonly idleSeconds?: number
}

export interface ModelSettings {
  readonly id: string
  readonly contextWindow?: number
  readonly prices?: ModelRow['prices']
  readonly takesImages?: boolean
}

const DEFAULT_IDLE_MS = 120_000
/** A local server may have to load the model from disk first. */
const LOCAL_IDLE_MS = 300_000

const CLOUD = { needsKey: true, closed: false, isLocal: false, isAi: true, reportsCost: false, problem: null } as const

const BUILT_IN: readonly ProviderRow[] = [
  {
    ...CLOUD,
    id: 'anthropic',
    label: 'Anthropic',
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    secretName: 'ANTHROPIC_API_KEY',
    keyPage: 'https://platform.claude.com/settings/keys',
    models: ANTHROPIC_MODELS,
    idleMs: DEFAULT_IDLE_MS,
  },
  {
    ...CLOUD,
    id: 'openai',
    label: 'OpenAI',
    wire: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    secretName: 'OPENAI_API_KEY',
    keyPage: 'https://platform.openai.com/api-keys',
    models: OPENAI_MODELS,
    idleMs: DEFAULT_IDLE_MS,
  },
  {
    ...CLOUD,
    id: 'google',
    label: 'Google Gemini',
    wire: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    secretName: 'GEMINI_API_KEY',
    keyPage: 'https://aistudio.google.com/apikey',
    models: GOOGLE_MODELS,
    idleMs: DEFAULT_IDLE_MS,
  },
  {
    ...CLOUD,
    id: 'openrouter',
    label: 'OpenRouter',
    wire: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    secretName: 'OPENROUTER_API_KEY',
    keyPage: 'https://openrouter.ai/settings/keys',
    models: OPENROUTER_MODELS,
    reportsCost: true,
    idleMs: DEFAULT_IDLE_MS,
  },
  {
    ...CLOUD,
    id: 'ollama',
    label: 'Ollama',
    wire: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    secretName: null,
    needsKey: false,
    keyPage: null,
    models: [],
    isLocal: true,
    idleMs: LOCAL_IDLE_MS,
  },
]

const DEMO: ProviderRow = {
  id: 'demo',
  label: 'Demo (scripted, not an AI)',
  wire: 'demo',
  baseUrl: '',
  secretName: null,
  needsKey: false,
  keyPage: null,
  models: DEMO_MODELS,
  closed: true,
  isLocal: false,
  isAi: false,
  reportsCost: false,
  idleMs: DEFAULT_IDLE_MS,
  problem: null,
}

/** Built-in providers first, then custom ones, and the demo last, as the choice when nothing else is set up. */
export function providerRows(settings: Readonly<Record<string, ProviderSettings>>): ProviderRow[] {
  const builtIn = BUILT_IN.map((row) => adjusted(row, settings[row.id] ?? {}))
  const own = Object.entries(settings)
    .filter(([id]) => id !== DEMO.id && !BUILT_IN.some((row) => row.id === id))
    .map(([id, entry]) => ownProvider(id, entry))
  return [...builtIn, ...own, DEMO]
}

function adjusted(row: ProviderRow, settings: ProviderSettings): ProviderRow {
  return {
    ...row,
    label: settings.label ?? row.label,
    wire: row.id === 'openai' && settings.api === 'chat' ? 'openai-chat' : row.wire,
    baseUrl: settings.baseUrl ?? row.baseUrl,
    models: joinModels(settings.models ?? [], row.models, row.isLocal),
    idleMs: settings.idleSeconds === undefined ? row.idleMs : settings.idleSeconds * 1000,
    problem: settings.baseUrl === undefined ? null : baseUrlProblem(settings.baseUrl),
  }
}

function ownProvider(id: string, settings: ProviderSettings): ProviderRow {
  const baseUrl = settings.baseUrl ?? ''
  const isLocal = isLoopback(baseUrl)
  return {
    ...CLOUD,
    id,
    label: settings.label ?? id,
    wire: 'openai-compatible',
    baseUrl,
    secretName: settings.hasKey === false ? null : `PROVIDER_${id.toUpperCase().replaceAll('-', '_')}_API_KEY`,
    needsKey: settings.hasKey === true,
    keyPage: null,
    models: joinModels(settings.models ?? [], [], isLocal),
    isLocal,
    idleMs:
      settings.idleSeconds === undefined ? (isLocal ? LOCAL_IDLE_MS : DEFAULT_IDLE_MS) : settings.idleSeconds * 1000,
    problem: /^[a-z0-9][a-z0-9-]{0,39}$/.test(id)
      ? baseUrlProblem(baseUrl)
      : 'A provider’s name has up to 40 characters of a-z, 0-9 and -.',
  }
}

function joinModels(own: readonly ModelSettings[], known: readonly ModelRow[], isLocal: boolean): ModelRow[] {
  const rows = own.map((entry): ModelRow => {
    const base = known.find((row) => row.id === entry.id)
    const takesImages = entry.takesImages ?? base?.takesImages
    return {
      id: entry.id,
      contextWindow: entry.contextWindow ?? base?.contextWindow ?? null,
      prices: entry.prices ?? base?.prices ?? (isLocal ? FREE : null),
      ...(takesImages === undefined ? {} : { takesImages }),
    }
  })
  return [...rows, ...known.filter((row) => !own.some((entry) => entry.id === row.id))]
}

function baseUrlProblem(baseUrl: string): string | null {
  const url = URL.parse(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'The base URL must start with https:// or http://, such as http://127.0.0.1:8000/v1.'
  if (url.username !== '' || url.password !== '') return 'The base URL must not contain a user name or password.'
  return url.search === '' && url.hash === '' ? null : 'The base URL must not have a query.'
}

export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
