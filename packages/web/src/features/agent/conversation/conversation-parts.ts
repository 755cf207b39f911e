import type { RunRecord } from '@clawboo/core/executor'
import type { ConversationRun } from '../../../api/conversation.ts'
import { costWords, tokenWords } from '../../../ui/run-view/run-words.ts'
import { counted } from '../../../ui/time-words.ts'

/** The runs that begin anew: the runtime has another conversation in them than in the run before. */
export function beginsAnew(runs: readonly ConversationRun[]): ReadonlySet<string> {
  const found = new Set<string>()
  let before: string | null = null
  for (const detail of runs) {
    const session = sessionOf(detail)
    if (session === null) continue
    if (before !== null && session !== before) found.add(detail.run.id)
    before = session
  }
  return found
}

function sessionOf({ entries }: ConversationRun): string | null {
  return entries.findLast(({ sessionId }) => sessionId !== null)?.sessionId ?? null
}

/** The runs since the conversation began anew. */
export function runsOfThis(runs: readonly ConversationRun[], anewAfter: string | null): readonly RunRecord[] {
  if (anewAfter !== null && runs.at(-1)?.run.id === anewAfter) return []
  const anew = beginsAnew(runs)
  const from = runs.findLastIndex(({ run }) => anew.has(run.id))
  return runs.slice(Math.max(0, from)).map(({ run }) => run)
}

/** What a conversation took so far. `more`: older runs of it are not counted in. */
export function takenWords(
  runs: readonly RunRecord[],
  more: boolean,
): { readonly cost: string; readonly rest: string } {
  const priced = runs.filter(({ costUsd }) => costUsd !== null)
  const usd = priced.length === 0 ? null : priced.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  const complete =
    !more &&
    runs.every(({ costUsd, costComplete, modelCalls }) => costComplete && (costUsd !== null || modelCalls === 0))
  const tokens = runs.reduce((sum, run) => sum + run.inputTokens + run.outputTokens, 0)
  return {
    cost: costWords(usd, complete),
    rest: `${tokenWords(tokens)} tokens in ${more ? 'the last ' : ''}${counted(runs.length, 'run')}`,
  }
}
