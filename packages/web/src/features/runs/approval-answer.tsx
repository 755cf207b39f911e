import { useAnswerAttention, useApprovalItem, wasSettled } from '../../api/attention.ts'
import type { ApprovalBlock } from '../../live/run-block.ts'
import { AnswerButtons } from '../../shared/approval/answer-buttons.tsx'
import { settledWords } from '../../shared/approval/attention-words.ts'
import { answerProblem } from '../../shared/problem-words.ts'
import { focusNextAnswers } from '../../shared/transcript/focus-in-conversation.ts'
import { usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { ProblemLine } from '../../ui/problem-line.tsx'

/** The answers to a question of a run that goes on, where it is asked. */
export function ApprovalAnswer({ runId, block }: { runId: string; block: ApprovalBlock }) {
  const item = useApprovalItem(runId, block.approvalId)
  const answer = useAnswerAttention()
  const box = usePassesFocus<HTMLDivElement>(focusNextAnswers)
  const open = item?.state === 'open'
  return (
    <div ref={box} className="flex flex-col gap-2">
      {open ? (
        <AnswerButtons
          answers={item.answers}
          giving={answer.isPending ? answer.variables.answer : null}
          onGive={(given) => answer.mutate({ itemId: item.id, answer: given })}
        />
      ) : (
        <p className="text-sm text-needs">{item ? `${settledWords(item)}.` : 'Getting the answers ready'}</p>
      )}
      <ProblemLine>
        {open && answer.error && !wasSettled(answer.error) ? answerProblem(answer.error) : null}
      </ProblemLine>
    </div>
  )
}
