import { useAnswerAttention, useApprovalItem, wasSettled } from '../../../api/attention.ts'
import type { ApprovalBlock } from '../../../live/run-block.ts'
import { AnswerButtons } from '../../../shared/approval/answer-buttons.tsx'
import { settledWords } from '../../../shared/approval/attention-words.ts'
import { answerProblem } from '../../../shared/problem-words.ts'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'

/** The answers to a question of who speaks, where it is asked. */
export function ApprovalAnswer({ runId, block }: { runId: string; block: ApprovalBlock }) {
  const item = useApprovalItem(runId, block.approvalId)
  const answer = useAnswerAttention()
  if (item?.state !== 'open')
    return <p className="text-sm text-needs">{item ? `${settledWords(item)}.` : 'Getting the answers ready'}</p>
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
