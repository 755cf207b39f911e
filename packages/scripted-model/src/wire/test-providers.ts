import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { scriptPrompt } from '../choose-turn.ts'
import type { ScriptTurn } from '../script.ts'

export const PROVIDERS = ['compat', 'chat', 'resp', 'anth'] as const
export type Provider = (typeof PROVIDERS)[number]

/** The real packages, connected to a scripted model. */
export function providerModel(
  provider: Provider,
  url: string,
  modelId = 'scripted-1',
  apiKey = 'key',
): LanguageModelV4 {
  const baseURL = `${url}/v1`
  switch (provider) {
    case 'compat':
      return createOpenAICompatible({ name: 'local', baseURL, apiKey, includeUsage: true }).chatModel(modelId)
    case 'chat':
      return createOpenAI({ baseURL, apiKey }).chat(modelId)
    case 'resp':
      return createOpenAI({ baseURL, apiKey }).responses(modelId)
    default:
      return createAnthropic({ baseURL, apiKey })(modelId)
  }
}

export const scripted = (...script: ScriptTurn): LanguageModelV4Prompt => [
  { role: 'user', content: [{ type: 'text', text: scriptPrompt(script) }] },
]

export interface Outcome {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly types: string
  readonly text: string
  readonly calls: readonly string[]
  readonly finish: string | null
  /** The error of the package, from the call or while reading its stream. */
  readonly thrown: { statusCode?: number; isRetryable?: boolean; message?: string; [field: string]: unknown } | null
}

/** Reads one call to its end and summarises what the package returns. */
export async function outcomeOf(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Outcome> {
  const parts: LanguageModelV4StreamPart[] = []
  let thrown: Outcome['thrown'] = null
  try {
    const { stream } = await model.doStream(options)
    for await (const part of stream as ReadableStream<LanguageModelV4StreamPart> &
      AsyncIterable<LanguageModelV4StreamPart>)
      parts.push(part)
  } catch (error) {
    thrown = error as NonNullable<Outcome['thrown']>
  }
  return {
    parts,
    types: [...new Set(parts.map((part) => part.type))].join(' '),
    text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
    calls: parts.flatMap((part) => (part.type === 'tool-call' ? [`${part.toolName} ${part.input}`] : [])),
    finish: parts.map((part) => (part.type === 'finish' ? part.finishReason.unified : null)).find(Boolean) ?? null,
    thrown,
  }
}
