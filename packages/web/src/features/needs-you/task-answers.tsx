import type { AttentionAnswer, AttentionTask } from '@clawboo/core/executor'
import { useLayoutEffect, useRef, useState } from 'react'
import { type AttentionItem, useAnswerAttention, wasSettled } from '../../api/attention.ts'
import { AnswerButtons } from '../../shared/approval/answer-buttons.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { answerProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { isFocusLost } from '../../ui/keyboard/focus-place.ts'
import { useStoredDraft } from '../../ui/state/use-stored-draft.ts'
import { TextArea } from '../../ui/text-field.tsx'

/** The assignee, the author and the original text of the task, shown as a quotation. */
export function AskedWork({ item, task }: { item: AttentionItem; task: AttentionTask }) {
  return (
    <>
      <p className="text-sm text-muted">{askedWords(item.agentId, task)}</p>
      {item.detail ? (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
          tabIndex={0}
          className="max-h-[240px] max-w-[80ch] overflow-auto rounded-s border border-line bg-sunken px-3 py-2 font-sans text-sm break-words whitespace-pre-wrap"
        >
          {item.detail}
        </pre>
      ) : null}
    </>
  )
}

export function TaskAnswers({ item }: { item: AttentionItem }) {
  const send = useAnswerAttention()
  const [text, setText, wasSent] = useStoredDraft(`clawboo.answer.${item.id}`)
  const [missing, setMissing] = useState<string | null>(null)
  const frame = useRef<HTMLDivElement>(null)
  const hasGiven = useRef(false)
  useLayoutEffect(() => {
    // An accepted task cannot be accepted again: the button disappears, and the focus must not be lost with it.
    if (!hasGiven.current || !isFocusLost()) return
    hasGiven.current = false
    frame.current?.querySelector<HTMLElement>('[data-answers]')?.focus()
  })
  const give = (answer: AttentionAnswer) => {
    const lacks = wordsMissing(answer, text)
    setMissing(lacks)
    if (lacks !== null) return
    hasGiven.current = true
    // Promises, because the row may be unmounted once the answer is stored.
    send.mutateAsync({ itemId: item.id, answer, text: text.trim() }).then(
      () => {
        wasSent(text)
        announce(taskAnswered(answer))
      },
      (error: unknown) => {
        if (wasSettled(error)) announce('It was already answered. Your answer changed nothing.')
      },
    )
  }
  return (
    <div
      ref={frame}
      className="col-start-2 flex min-w-0 flex-col gap-2 max-wide:col-span-2 max-wide:col-start-1 full:col-start-3 full:w-[300px]"
    >
      <TextArea
        label="Reply"
        rows={2}
        maxLength={16_000}
        value={text}
        error={missing !== null && text.trim() === '' ? missing : undefined}
        onChange={(event) => setText(event.target.value)}
      />
      <AnswerButtons answers={item.answers} giving={send.isPending ? send.variables.answer : null} onGive={give} />
      <ProblemLine>{send.error && !wasSettled(send.error) ? answerProblem(send.error) : null}</ProblemLine>
    </div>
  )
}

/** The assignee and the author of a task. An `agentId` of null is the operator, who reads this. */
export function askedWords(agentId: string | null, { askedOf, askedBy }: AttentionTask): string {
  return `Assigned to ${agentId === null ? 'you' : askedOf} by ${askedBy}`
}

/** Why an answer needs text before it can be sent; null when it can be sent. */
export function wordsMissing(answer: AttentionAnswer, text: string): string | null {
  if (text.trim() !== '') return null
  if (answer === 'answer') return 'Write a comment first.'
  return answer === 'refuse' ? 'Enter a reason. The person who asked reads it.' : null
}

/** The announcement after an answer is stored. */
export function taskAnswered(answer: AttentionAnswer): string {
  switch (answer) {
    case 'accept':
      return 'Started. The task is in progress.'
    case 'answer':
      return 'Commented. The task stays open.'
    case 'done':
      return 'Done. The task is approved.'
    default:
      return 'Declined. The person who asked is told.'
  }
}
