import type { RunRecord } from '@clawboo/core/executor'
import type { Conversation, ConversationRun } from '../../../api/conversation.ts'
import { costWords, tokenWords } from '../../../shared/run/run-words.ts'
import { counted } from '../../../ui/words/time-words.ts'

type Beginning = Conversation['begunAnew']

/** The runs that start a new conversation, and whether one starts after the last run. */
export function beginnings(
  runs: readonly ConversationRun[],
  begunAnew: Beginning,
): { readonly with: ReadonlySet<string>; readonly behindAll: boolean } {
  const found = new Set<string>()
  let before: string | null = null
  for (const detail of runs) {
    const session = sessionOf(detail)
    if (session === null) continue
    if (before !== null && session !== before) found.add(detail.run.id)
    before = session
  }
  const last = lastBefore(runs, begunAnew)
  const first = runs[last + 1]
  if (last >= 0 && first) found.add(first.run.id)
  return { with: found, behindAll: last >= 0 && !first }
}

/** The index of the last run before the newest start of a conversation; -1 when that run is not loaded. */
function lastBefore(runs: readonly ConversationRun[], begunAnew: Beginning): number {
  if (begunAnew === null || begunAnew.afterRunId === null) return -1
  return runs.findLastIndex(({ run }) => run.id === begunAnew.afterRunId)
}

/** The runtime's own conversation id of a run. A runtime may start a new conversation on its own. */
function sessionOf({ entries }: ConversationRun): string | null {
  return entries.findLast(({ sessionId }) => sessionId !== null)?.sessionId ?? null
}

/** The runs of the current conversation, and whether older runs of it are not loaded. */
export function runsOfThis(
  runs: readonly ConversationRun[],
  begunAnew: Beginning,
  olderExist: boolean,
): { readonly runs: readonly RunRecord[]; readonly more: boolean } {
  const begins = beginnings(runs, begunAnew)
  if (begins.behindAll) return { runs: [], more: false }
  const from = runs.findLastIndex(({ run }) => begins.with.has(run.id))
  return { runs: runs.slice(Math.max(0, from)).map(({ run }) => run), more: from < 0 && olderExist }
}

/** The cost of a conversation; null before its first model call. `more`: older runs are not included. */
export function takenWords(
  runs: readonly RunRecord[],
  more: boolean,
): { readonly cost: string; readonly rest: string } | null {
  const called = runs.filter(({ modelCalls }) => modelCalls > 0)
  if (called.length === 0) return null
  const priced = called.filter(({ costUsd }) => costUsd !== null)
  const usd = priced.length === 0 ? null : priced.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  const complete = !more && called.every(({ costUsd, costComplete }) => costComplete && costUsd !== null)
  const tokens = called.reduce((sum, run) => sum + run.inputTokens + run.outputTokens, 0)
  return {
    cost: costWords(usd, complete),
    rest: `${tokenWords(tokens)} tokens in ${more ? 'the last ' : ''}${counted(runs.length, 'run')}`,
  }
}
