import type { AttentionItem } from '@clawboo/core/executor'
import type { RunEnd, RunFold } from '../../live/fold-run.ts'
import { answerWords } from '../run/run-words.ts'
import { wasCutShort } from './attention-words.ts'

export interface ApprovalOutcome {
  readonly words: string
  readonly allowed: boolean
}

const STOPPED: ApprovalOutcome = { words: 'The run stopped before you answered', allowed: false }
const UNANSWERED: ApprovalOutcome = { words: 'Not answered', allowed: false }

/**
 * A runtime also reports "deny" when no answer came in time and when the run was stopped. The attention item has the
 * person's real answer; without it, the end of the run distinguishes the cases.
 */
export function approvalOutcome(asked: {
  /** The answer in the run's record; null = none. */
  readonly answer: string | null
  /** Whether the run did nothing more after the answer. */
  readonly last: boolean
  readonly end: RunEnd | null
  readonly item?: AttentionItem | undefined
}): ApprovalOutcome {
  const { answer, item, end } = asked
  if (item?.state === 'answered' && item.answer !== null) return answeredAs(item.answer, item.answeredBy)
  if (answer?.startsWith('allow')) return answeredAs(answer, null)
  if (item?.state === 'expired') return wasCutShort(item) ? STOPPED : UNANSWERED
  const wasStopped = end !== null && isStop(end)
  if (answer === null) return wasStopped ? STOPPED : UNANSWERED
  return wasStopped && asked.last ? STOPPED : answeredAs(answer, null)
}

/** The outcome of each approval of an ended run, by its id. */
export function approvalOutcomes(
  fold: RunFold,
  end: RunEnd | null,
  items: ReadonlyMap<string, AttentionItem>,
): ReadonlyMap<string, ApprovalOutcome> {
  return new Map(
    fold.blocks.flatMap((block) => {
      if (block.kind !== 'approval') return []
      const { approvalId, answer } = block
      const last = fold.answeredLast.includes(approvalId)
      return [[approvalId, approvalOutcome({ answer, last, end, item: items.get(approvalId) })] as const]
    }),
  )
}

function answeredAs(answer: string, by: string | null): ApprovalOutcome {
  return {
    words: by === null ? answerWords(answer) : `${answerWords(answer)} by ${by}`,
    allowed: answer.startsWith('allow'),
  }
}

/** Ends that can come in the middle of a step. Other limits are checked between model calls. */
function isStop({ outcome, reason }: RunEnd): boolean {
  if (outcome === 'aborted' || outcome === 'interrupted') return true
  return reason === 'server_stopping' || reason === 'time_limit' || reason === 'idle_limit'
}
