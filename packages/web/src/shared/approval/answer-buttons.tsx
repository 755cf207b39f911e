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

/** The answers to something that waits for a person: one order and one look wherever it is asked. */
export function AnswerButtons(props: {
  readonly answers: readonly AttentionAnswer[]
  /** The answer that is on its way. */
  readonly giving: AttentionAnswer | null
  readonly onGive: (answer: AttentionAnswer) => void
}) {
  const keepsId = useId()
  const keeps = props.answers.includes('allow-always')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's part; these buttons each do something
    <div
      role="group"
      aria-label="Answers"
      // The keyboard lands on the group, never on an answer: a key that is held down must not give it.
      data-answers
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-1.5 rounded-s"
    >
      <div className="flex flex-wrap gap-2">
        {answersInOrder(props.answers).map((answer) => (
          <Button
            key={answer}
            kind={KINDS[answer]}
            // Not `disabled`: that would take the keyboard's place away while the answer is on its way.
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
