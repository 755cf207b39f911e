import { useAnswerAttention, useApprovalItem, wasSettled } from '../../../api/attention.ts'
import type { ApprovalBlock } from '../../../live/run-block.ts'
import { AnswerButtons } from '../../../shared/approval/answer-buttons.tsx'
import { settledWords } from '../../../shared/approval/attention-words.ts'
import { answerProblem } from '../../../shared/problem-words.ts'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'

/** The answers to a question of a run, where it is asked. The first one counts, whoever gives it. */
export function ApprovalAnswer({ runId, block }: { runId: string; block: ApprovalBlock }) {
  const item = useApprovalItem(runId, block.approvalId)
  const answer = useAnswerAttention()
  if (!item) return <p className="text-sm text-needs">Getting the answers ready</p>
  if (item.state !== 'open') return <p className="text-sm text-needs">{`${settledWords(item)}.`}</p>
  return (
    <PassesFocus>
      <AnswerButtons
        answers={item.answers}
        giving={answer.isPending ? answer.variables.answer : null}
        onGive={(given) => answer.mutate({ itemId: item.id, answer: given })}
      />
      <ProblemLine>{answer.error && !wasSettled(answer.error) ? answerProblem(answer.error) : null}</ProblemLine>
    </PassesFocus>
  )
}
