import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../../session/message.ts'
import type { AssistantContent, ModelRequest } from '../model-request.ts'
import { costUsd, type ModelPrices } from '../providers/model-price.ts'

export interface UsagePricing {
  readonly prices: ModelPrices | null
  /** The provider reports the cost in its raw usage. */
  readonly reportsCost: boolean
}

/** Converts the vendor's usage. */
export function countUsage(usage: LanguageModelV4Usage, pricing: UsagePricing): Usage {
  const { inputTokens, outputTokens } = usage
  const cacheRead = inputTokens.cacheRead ?? 0
  const cacheWrite = inputTokens.cacheWrite ?? 0
  const input = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cacheRead - cacheWrite)
  const output = outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0)
  const tokens = { input, output, cacheRead, cacheWrite }
  const totalTokens = input + output + cacheRead + cacheWrite
  return { ...tokens, totalTokens, costUsd: reportedCost(usage, pricing) ?? costUsd(tokens, pricing.prices) }
}

/** Whether the server reported usage. Many local servers do not, and zero usage would bypass every limit. */
export const isCounted = ({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean =>
  (inputTokens.total ?? inputTokens.noCache ?? 0) + (outputTokens.total ?? 0) > 0

/** Estimates four characters per token for a server that reports no usage. */
export function estimateUsage(request: ModelRequest, answer: AssistantContent, pricing: UsagePricing): Usage {
  let read = request.system.text.length
  for (const message of request.messages)
    for (const part of message.content) read += part.type === 'image' ? 8000 : partLength(part)
  const written = answer.reduce((sum, part) => sum + partLength(part), 0)
  const tokens = { input: Math.ceil(read / 4), output: Math.ceil(written / 4), cacheRead: 0, cacheWrite: 0 }
  return { ...tokens, totalTokens: tokens.input + tokens.output, costUsd: costUsd(tokens, pricing.prices) }
}

function partLength(part: AssistantContent[number]): number {
  if (part.type === 'text') return part.text.length
  return part.type === 'thinking' ? part.thinking.length : JSON.stringify(part.arguments).length + part.name.length
}

function reportedCost(usage: LanguageModelV4Usage, { reportsCost }: UsagePricing): number | null {
  const cost = reportsCost ? usage.raw?.cost : null
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null
}
