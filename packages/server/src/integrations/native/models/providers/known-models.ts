import type { ModelPrices } from './model-price.ts'

export interface ModelRow {
  readonly id: string
  /** Tokens; null = unknown. */
  readonly contextWindow: number | null
  /** null = unknown. A budget then counts the maximum price. */
  readonly prices: ModelPrices | null
  /** False = the model is known to refuse images. */
  readonly takesImages?: boolean
}

const MILLION = 1_000_000

/** List prices. An uncertain price is null, and a budget then counts the maximum price. */
export const ANTHROPIC_MODELS: readonly ModelRow[] = [
  model('claude-sonnet-5-5', MILLION, { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }),
  model('claude-opus-5-5', MILLION, { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }),
  model('claude-haiku-5-5', MILLION, null),
  model('claude-opus-5', MILLION, { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }),
  model('claude-sonnet-5', MILLION, { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }),
  model('claude-haiku-4-5', 200_000, { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }),
]

export const OPENAI_MODELS: readonly ModelRow[] = [
  model('gpt-6.1-sol', 1_050_000, null),
  model('gpt-6.1-terra', 1_050_000, null),
  model('gpt-6-luna', 1_050_000, null),
  model('gpt-5', 400_000, { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: null }),
  model('gpt-5-mini', 400_000, { input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: null }),
]

export const GOOGLE_MODELS: readonly ModelRow[] = [
  model('gemini-3.8-flash', 1_048_576, null),
  model('gemini-2.5-pro', 1_048_576, {
    input: 1.25,
    output: 10,
    cacheRead: 0.125,
    cacheWrite: null,
    long: { aboveTokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: null },
  }),
  model('gemini-2.5-flash', 1_048_576, { input: 0.3, output: 2.5, cacheRead: null, cacheWrite: null }),
]

export const OPENROUTER_MODELS: readonly ModelRow[] = [model('openrouter/auto', null, null)]

export const FREE: ModelPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export const DEMO_MODELS: readonly ModelRow[] = [model('boo', 200_000, FREE)]

function model(id: string, contextWindow: number | null, prices: ModelPrices | null): ModelRow {
  return { id, contextWindow, prices }
}
