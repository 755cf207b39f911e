import { useAnswerAttention, useApprovalItem, wasSettled } from '../../api/attention.ts'
import type { ApprovalBlock } from '../../live/run-block.ts'
import { Icon } from '../../ui/icon.tsx'
import { PassesFocus } from '../../ui/keyboard/passes-focus.tsx'
import { ProblemLine } from '../problem.tsx'
import { answerProblem } from '../problem-words.ts'
import { AnswerButtons } from './answer-buttons.tsx'
import { settledWords } from './attention-words.ts'

/** An approval that waits: the action, the reason, and the buttons to answer unless the view is read-only. */
export function ApprovalCard(props: {
  readonly runId: string
  readonly name: string
  readonly block: ApprovalBlock
  readonly isReadOnly: boolean
}) {
  const { runId, block } = props
  return (
    <section
      aria-label="Needs you"
      className="flex min-w-0 flex-col gap-2 rounded-m border border-needs bg-needs-soft px-3 py-2.5"
    >
      <p className="font-[600] text-needs">{`${props.name} wants to run a command`}</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        className="max-h-60 overflow-auto rounded-s border border-line bg-surface px-3 py-2 font-mono text-sm whitespace-pre-wrap"
      >
        {block.action}
      </pre>
      <p className="text-sm">
        {`It needs your approval because ${block.reason}. Folder: `}
        <span className="font-mono">{block.cwd}</span>
      </p>
      {props.isReadOnly ? null : <ApprovalAnswer runId={runId} approvalId={block.approvalId} />}
    </section>
  )
}

export function SettledApproval({ action, words, allowed }: { action: string; words: string; allowed: boolean }) {
  return (
    <p className="flex min-w-0 items-center gap-2 text-sm text-muted">
      <Icon name={allowed ? 'check' : 'close'} size={14} />
      <span className="shrink-0">{words}:</span>
      <span className="min-w-0 truncate font-mono">{action}</span>
    </p>
  )
}

/** The buttons that answer an approval. The first answer counts, whichever page sends it. */
function ApprovalAnswer({ runId, approvalId }: { runId: string; approvalId: string }) {
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
