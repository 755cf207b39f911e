import { useAnswerAttention, useApprovalItem, wasSettled } from '../../api/attention.ts'
import { PassesFocus } from '../../ui/keyboard/passes-focus.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { answerProblem } from '../problem-words.ts'
import { AnswerButtons } from './answer-buttons.tsx'
import { settledWords } from './attention-words.ts'

/** The buttons that answer an approval in its place. The first answer counts, from this page or another. */
export function ApprovalAnswer({ runId, approvalId }: { runId: string; approvalId: string }) {
  const item = useApprovalItem(runId, approvalId)
  const answer = useAnswerAttention()
  if (item?.state !== 'open') {
    return <p className="text-sm text-needs">{item ? `${settledWords(item)}.` : 'Loading the answers'}</p>
  }
  return (
    <PassesFocus>
      <AnswerButtons
        answers={item.answers}
        giving={answer.isPending ? answer.variables.answer : null}
        onGive={(chosen) => answer.mutate({ itemId: item.id, answer: chosen })}
      />
      <ProblemLine>{answer.error && !wasSettled(answer.error) ? answerProblem(answer.error) : null}</ProblemLine>
    </PassesFocus>
  )
}
