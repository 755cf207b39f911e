import { estimateUsage } from '../models/call/count-usage.ts'
import type { ChainEvent } from '../models/failover/run-chain.ts'
import type { ModelRequest } from '../models/model-request.ts'
import type { CandidateList, Models } from '../models/models.ts'
import type { AnswerEvent, LoopModel } from './loop-ports.ts'

/** The models of one run. The list can change between two model calls. */
export interface ChainModel extends LoopModel {
  /** The candidates for the next model call. */
  readonly list: CandidateList
  /** Takes effect with the next model call. */
  use(list: CandidateList): void
}

/**
 * Calls the candidates in order. Unparsable arguments of a tool call go to `noteBadArguments`, because the call itself
 * then has empty arguments.
 */
export function createChainModel(options: {
  readonly models: Models
  readonly list: CandidateList
  readonly windowOf: (provider: string, model: string) => Promise<number | null>
  readonly requestFor: (messages: ModelRequest['messages']) => ModelRequest
  readonly noteBadArguments: (badArguments: Readonly<Record<string, string>>) => void
}): ChainModel {
  const { models, requestFor, windowOf, noteBadArguments } = options
  let list = options.list
  const probed = new Set<string>()
  return {
    get list() {
      return list
    },
    use(next) {
      list = next
    },
    async estimatePartialUsage(messages, ref, text) {
      const { prices } = await models.describe(ref)
      return estimateUsage(requestFor(messages), [{ type: 'text', text }], { prices, reportsCost: false })
    },
    async *answer(messages, signal) {
      for await (const event of models.run(list, requestFor(messages), { signal, probed })) {
        if (event.type === 'done') {
          noteBadArguments(event.badArguments)
          const { candidate, content, stopReason, usage } = event
          const contextWindowTokens = await windowOf(candidate.provider, candidate.model)
          yield { t: 'done', content, stopReason, usage, ...candidate, contextWindowTokens }
        } else {
          const answer = answerEvent(event)
          if (answer) yield answer
        }
      }
    },
  }
}

function answerEvent(event: Exclude<ChainEvent, { type: 'done' }>): AnswerEvent | null {
  switch (event.type) {
    case 'attempt':
      return { t: 'attempt', ...event.candidate }
    case 'text':
      return { t: 'text', delta: event.delta }
    case 'thinking':
      return { t: 'thinking', delta: event.delta }
    case 'retrying':
      return { t: 'notice', state: 'retrying', detail: `${event.failure.message} Trying again.` }
    case 'switched':
      return {
        t: 'notice',
        state: 'model-changed',
        detail: `${event.to.provider}/${event.to.model} answers instead of ${event.from.provider}/${event.from.model}: ${event.failure.message}`,
      }
    case 'failed':
      return { t: 'failed', overflow: event.kind === 'context_overflow', message: event.message }
    case 'toolArgs':
      return null
  }
}
