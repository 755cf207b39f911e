import type { RunGuard } from '@clawboo/core/executor'
import { compactSession, type Summarise } from '../context/compact-session.ts'
import {
  afterOverflow,
  judgeCompaction,
  keepAfterOverflow,
  reserveTokens,
  routePrompt,
} from '../context/context-window.ts'
import { pruneContext } from '../context/prune-context.ts'
import type { TokenEstimator } from '../context/token-estimate.ts'
import { reducibleTokens, truncateResults } from '../context/truncate-results.ts'
import type { Message } from '../session/message.ts'
import type { Session } from '../session/session.ts'
import { askGuard } from './ask-guard.ts'
import type { LoopContext, Prepared } from './loop-ports.ts'
import type { RunEvents } from './run-events.ts'

export interface SessionContextOptions {
  readonly session: Session
  /** Of the model that is asked next. */
  readonly window: () => number
  /** What is sent with every prompt: instructions, files, tools. */
  readonly fixedTokens: number
  readonly estimator: TokenEstimator
  readonly summarise: Summarise
  readonly reminder: string | null
  readonly guard: RunGuard
  readonly events: RunEvents
  /** Only where a provider's cache makes old results worth dropping. */
  readonly prunes: boolean
  readonly toolResultMaxChars: number
  readonly onCompacted: () => void
  readonly now: () => number
}

/** Keeps a session within its model's window: prunes and truncates in memory, compacts on disk. */
export function createSessionContext(options: SessionContextOptions): LoopContext {
  const { session, fixedTokens, estimator, events } = options
  let overflows = { tried: 0, lastOneFreed: false }

  const compact = async (signal: AbortSignal, keepTokens?: number) => {
    const refusal = new AbortController()
    const refused: Extract<Prepared, { kind: 'stopped' }>['because'][] = []
    const summarise: Summarise = async (text, limit) => {
      const tripped = await askGuard(options.guard, events.seq, limit)
      if (!tripped) return options.summarise(text, limit)
      refused.push({ reason: tripped.reason, detail: `before a compaction: ${tripped.figure} of ${tripped.cap}` })
      // Ends the compaction with the session as it was: history must not go because a summary was too dear.
      refusal.abort()
      throw new Error('a limit was reached')
    }
    events.emit({ type: 'status', state: 'compacting' })
    const outcome = await compactSession(session, summarise, {
      window: options.window(),
      fixedTokens,
      signal: AbortSignal.any([signal, refusal.signal]),
      estimator,
      reminder: options.reminder,
      ...(keepTokens === undefined ? {} : { keepTokens, insists: true }),
      log: (ended) => events.emit({ type: 'status', state: 'compacted', detail: wordsFor(ended) }),
    })
    const freed = 'tokens' in outcome ? outcome.tokens.before - outcome.tokens.after : 0
    if (freed > 0) options.onCompacted()
    return { outcome, freed, stopped: refused[0] ?? null }
  }

  const prepare = async (signal: AbortSignal): Promise<Prepared> => {
    const window = options.window()
    let messages = pruned(options, session.context())
    const total = () => fixedTokens + estimator.total(messages)
    const route = routePrompt({
      promptTokens: total(),
      budgetTokens: window - reserveTokens(window),
      reducibleTokens: reducibleTokens(messages, options.toolResultMaxChars),
    })
    if (route === 'send') return { kind: 'ready', messages }
    if (route !== 'truncate_results' && isDue(session, total(), window)) {
      const done = await compact(signal)
      if (done.stopped) return { kind: 'stopped', because: done.stopped }
      if (done.outcome.status === 'too_large') return { kind: 'too-large', message: done.outcome.problem }
      messages = pruned(options, session.context())
    }
    if (route !== 'compact') messages = truncateResults(messages, options.toolResultMaxChars)
    return { kind: 'ready', messages }
  }

  return {
    prepare,
    async shrink(signal) {
      if (afterOverflow(overflows.tried, overflows.lastOneFreed) === 'give_up') return false
      const done = await compact(signal, keepAfterOverflow(options.window(), overflows.tried))
      overflows = { tried: overflows.tried + 1, lastOneFreed: done.freed > 0 }
      // Who is refused a summary is refused the next call too, and says so there.
      return done.freed > 0 || done.stopped !== null
    },
  }
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

function wordsFor(outcome: Awaited<ReturnType<typeof compactSession>>): string {
  switch (outcome.status) {
    case 'compacted':
      return `the conversation was summarised: about ${outcome.tokens.before} tokens became ${outcome.tokens.after}`
    case 'kept_recent_only':
      return `no summary could be made (${outcome.problem}); the newest messages are kept, the older ones are in the transcript`
    case 'nothing_to_compact':
      return 'there was nothing to summarise'
    case 'aborted':
      return 'stopped'
    case 'too_large':
    case 'failed':
      return outcome.problem
  }
}
