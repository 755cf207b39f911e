import type { AttentionAnswer } from '@clawboo/core/executor'
import { useAnswerAttention, useApprovalItem, wasSettled } from '../../../api/attention.ts'
import { writeProblem } from '../../../api/problem-words.ts'
import { Button } from '../../../ui/button.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import type { ApprovalBlock } from '../../../ui/run-view/run-block.ts'
import { answerWords } from '../../../ui/run-view/run-words.ts'

/** The answers to a question of a run, where it is asked. The first one counts, whoever gives it. */
export function ApprovalAnswer({ runId, block }: { runId: string; block: ApprovalBlock }) {
  const item = useApprovalItem(runId, block.approvalId)
  const answer = useAnswerAttention()
  if (!item) return <p className="text-sm text-needs">Getting the answers ready</p>
  if (item.state !== 'open') {
    return (
      <p className="text-sm text-needs">
        {item.answer === null
          ? 'No longer waited for.'
          : `${answerWords(item.answer)} by ${item.answeredBy ?? 'somebody'}.`}
      </p>
    )
  }
  const give = (given: AttentionAnswer) => answer.mutate({ itemId: item.id, answer: given })
  const offered = (wanted: AttentionAnswer) => item.answers.includes(wanted)
  const problem =
    answer.error && !wasSettled(answer.error) ? writeProblem(answer.error).replace('Not saved', 'Not answered') : null
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {offered('allow-once') ? (
          <Button kind="primary" disabled={answer.isPending} onClick={() => give('allow-once')}>
            Allow once
          </Button>
        ) : null}
        {offered('allow-always') && block.mayAlwaysAllow ? (
          <Button disabled={answer.isPending} onClick={() => give('allow-always')}>
            Always allow
          </Button>
        ) : null}
        {offered('deny') ? (
          <Button kind="danger" disabled={answer.isPending} onClick={() => give('deny')}>
            Deny
          </Button>
        ) : null}
      </div>
      <ProblemLine>{problem}</ProblemLine>
    </div>
  )
}
