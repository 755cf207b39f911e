import type { RunGuard } from '@clawboo/core/executor'
import { compactSession, type Summarise } from '../context/compact-session.ts'
import {
  afterOverflow,
  judgeCompaction,
  keepAfterOverflow,
  reserveTokens,
  routePrompt,
} from '../context/context-window.ts'
import { pruneContext, reducibleTokens, truncateResults } from '../context/prune-context.ts'
import type { TokenEstimator } from '../context/token-estimate.ts'
import type { CandidateList, Models } from '../models/models.ts'
import type { Message } from '../session/message.ts'
import type { Session } from '../session/session.ts'
import { askGuard } from './ask-guard.ts'
import type { LoopContext, Prepared } from './loop-ports.ts'
import type { RunEvents } from './run-events.ts'

export interface SessionContextOptions {
  readonly session: Session
  /** The window of the model that is called next. */
  readonly window: () => number
  /** The size of the parts that every model call sends: instructions, files, tools. */
  readonly fixedTokens: number
  readonly estimator: TokenEstimator
  readonly summarise: Summarise
  readonly reminder: string | null
  readonly guard: RunGuard
  readonly events: RunEvents
  /** Set only where dropping old results pays off because of the provider's cache. */
  readonly prunes: boolean
  readonly toolResultMaxChars: number
  readonly onCompacted: () => void
  readonly now: () => number
}

/** Keeps a session within its model's window: prunes and truncates in memory, compacts on disk. */
export function createSessionContext(options: SessionContextOptions): LoopContext {
  let overflows = { tried: 0, lastOneFreed: false }
  return {
    prepare: (signal) => prepare(options, signal),
    async shrink(signal) {
      if (afterOverflow(overflows.tried, overflows.lastOneFreed) === 'give_up') return false
      const done = await compact(options, signal, keepAfterOverflow(options.window(), overflows.tried))
      overflows = { tried: overflows.tried + 1, lastOneFreed: done.freed > 0 }
      // A guard that refused the summary will refuse the next model call too, and that refusal ends the run.
      return done.freed > 0 || done.stopped !== null
    },
  }
}

async function prepare(options: SessionContextOptions, signal: AbortSignal): Promise<Prepared> {
  const { session, fixedTokens, estimator, toolResultMaxChars } = options
  const window = options.window()
  let messages = pruned(options, session.context())
  const promptTokens = fixedTokens + estimator.total(messages)
  const route = routePrompt({
    promptTokens,
    budgetTokens: window - reserveTokens(window),
    reducibleTokens: reducibleTokens(messages, toolResultMaxChars),
  })
  if (route === 'send') return { kind: 'ready', messages }
  if (route !== 'truncate_results' && isDue(session, promptTokens, window)) {
    const done = await compact(options, signal)
    if (done.stopped) return { kind: 'stopped', because: done.stopped }
    if (done.outcome.status === 'too_large') return { kind: 'too-large', message: done.outcome.problem }
    messages = pruned(options, session.context())
  }
  if (route !== 'compact') messages = truncateResults(messages, toolResultMaxChars)
  return { kind: 'ready', messages }
}

async function compact(options: SessionContextOptions, signal: AbortSignal, keepTokens?: number) {
  const { session, fixedTokens, estimator, events, reminder } = options
  const refusal = new AbortController()
  const refusals: Extract<Prepared, { kind: 'stopped' }>['because'][] = []
  const summarise: Summarise = async (text, limit) => {
    const tripped = await askGuard(options.guard, events.seq, limit)
    if (!tripped) return options.summarise(text, limit)
    refusals.push({ reason: tripped.reason, detail: `before a compaction: ${tripped.figure} of ${tripped.cap}` })
    // Aborts the compaction and leaves the session unchanged: history must not be lost because a summary costs too much.
    refusal.abort()
    throw new Error('a limit was reached')
  }
  events.emit({ type: 'status', state: 'compacting' })
  const outcome = await compactSession(session, summarise, {
    window: options.window(),
    fixedTokens,
    signal: AbortSignal.any([signal, refusal.signal]),
    estimator,
    reminder,
    ...(keepTokens === undefined ? {} : { keepTokens, insists: true }),
    log: (ended) => events.emit({ type: 'status', state: 'compacted', detail: describeOutcome(ended) }),
  })
  const freed = 'tokens' in outcome ? outcome.tokens.before - outcome.tokens.after : 0
  if (freed > 0) options.onCompacted()
  return { outcome, freed, stopped: refusals[0] ?? null }
}

function isDue(session: Session, contextTokens: number, window: number): boolean {
  const tokensAfterLast = session.lastCompaction?.tokensAfter ?? null
  return judgeCompaction({ contextTokens, window, tokensAfterLast }) !== 'wait_for_growth'
}

function pruned({ prunes, window, now }: SessionContextOptions, messages: readonly Message[]): readonly Message[] {
  if (!prunes) return messages
  const lastAnswer = messages.findLast((message) => message.role === 'assistant')
  return pruneContext(messages, {
    contextTokens: window(),
    lastCacheTouchAt: lastAnswer?.timestamp ?? null,
    now: now(),
  })
}

function describeOutcome(outcome: Awaited<ReturnType<typeof compactSession>>): string {
  switch (outcome.status) {
    case 'compacted':
      return `the conversation was summarised: about ${outcome.tokens.before} tokens became ${outcome.tokens.after}`
    case 'kept_recent_only':
      return `no summary could be made (${outcome.problem}); the agent keeps the newest messages, and the transcript keeps all of them`
    case 'nothing_to_compact':
      return 'there was nothing to summarise'
    case 'aborted':
      return 'stopped'
    case 'too_large':
    case 'failed':
      return outcome.problem
  }
}

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
