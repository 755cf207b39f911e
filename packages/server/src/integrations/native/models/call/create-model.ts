import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderRow } from '../providers/provider-list.ts'
import { wireFetch } from './wire-fetch.ts'

export type ModelFactory = (modelId: string) => LanguageModelV4

export interface ModelFactoryDeps {
  /** null = the provider needs no key, or none is stored. */
  readonly key: string | null
  readonly fetch: typeof fetch
  /** Pause after each word of the demo persona. */
  readonly demoWordDelayMs?: number
}

/**
 * Loads the package for this provider's protocol. Always passes a key and a base URL: a package without one of them reads it
 * from the environment, and could send a key from there to another provider's URL.
 */
export async function createModelFactory(row: ProviderRow, deps: ModelFactoryDeps): Promise<ModelFactory> {
  const options = { baseURL: row.baseUrl, apiKey: deps.key ?? '', fetch: wireFetch(deps.fetch) }
  switch (row.wire) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options)
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).responses
    }
    case 'openai-chat': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).chat
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle(options)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...options, name: row.id, includeUsage: true }).chatModel
    }
    case 'demo': {
      const { createDemoModel } = await import('../demo/demo-model.ts')
      return (modelId) => createDemoModel(modelId, deps.demoWordDelayMs)
    }
    default:
      return row.wire satisfies never
  }
}
