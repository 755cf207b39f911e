import type { AttentionAnswer } from '@clawboo/core/executor'
import { useId } from 'react'
import { Button, type ButtonKind } from '../../ui/button.tsx'
import { ANSWER_WORDS, answersInOrder, KEEPS_WORDS } from './attention-words.ts'

const KINDS: Readonly<Record<AttentionAnswer, ButtonKind>> = {
  'allow-once': 'primary',
  'allow-always': 'plain',
  retry: 'primary',
  deny: 'danger',
  dismiss: 'quiet',
  accept: 'plain',
  answer: 'plain',
  done: 'primary',
  refuse: 'danger',
}

/** The answers to an item that waits for a person, with the same order and look everywhere. */
export function AnswerButtons(props: {
  readonly answers: readonly AttentionAnswer[]
  /** The answer that is being sent. */
  readonly giving: AttentionAnswer | null
  readonly onGive: (answer: AttentionAnswer) => void
}) {
  const keepsId = useId()
  const keeps = props.answers.includes('allow-always')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form, and each of these buttons acts on its own
    <div
      role="group"
      aria-label="Answers"
      // The group gets the focus, never an answer: a key that is still held down must not press it.
      data-answers
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-1.5 rounded-s"
    >
      <div className="flex flex-wrap gap-2">
        {answersInOrder(props.answers).map((answer) => (
          <Button
            key={answer}
            kind={KINDS[answer]}
            // Not `disabled`, which would lose the focus while the answer is sent.
            aria-disabled={props.giving !== null}
            aria-describedby={answer === 'allow-always' ? keepsId : undefined}
            onClick={() => {
              if (props.giving === null) props.onGive(answer)
            }}
          >
            {props.giving === answer ? 'Answering' : ANSWER_WORDS[answer]}
          </Button>
        ))}
      </div>
      {keeps ? (
        <p id={keepsId} className="max-w-[70ch] text-sm text-muted">
          {KEEPS_WORDS}
        </p>
      ) : null}
    </div>
  )
}
