import type { Summarise } from '../context/compact-session.ts'
import type { CandidateList, Models } from '../models/models.ts'
import type { RunEvents } from './run-events.ts'

const SYSTEM = 'You write summaries of conversations. Answer with the summary alone.'

/** Asks the run's own models for a summary and reports its cost like that of any other model call. */
export function summariser(options: {
  readonly models: Models
  readonly list: () => CandidateList
  readonly events: RunEvents
  readonly window: () => number
}): Summarise {
  const { models, list, events, window } = options
  return async (text, signal) => {
    const request = {
      system: { text: SYSTEM, cacheBoundary: SYSTEM.length },
      messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: 0 }],
      tools: [],
    } as const
    for await (const event of models.run(list(), request, { signal })) {
      if (event.type === 'failed') throw new Error(event.message)
      if (event.type !== 'done') continue
      const { usage, candidate } = event
      events.emit({
        type: 'cost',
        model: `${candidate.provider}/${candidate.model}`,
        inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
        outputTokens: usage.output,
        cacheReadTokens: usage.cacheRead,
        cacheWriteTokens: usage.cacheWrite,
        costUsd: usage.costUsd,
        contextWindowTokens: window(),
      })
      return event.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    }
    throw new Error('the model ended without a summary')
  }
}
