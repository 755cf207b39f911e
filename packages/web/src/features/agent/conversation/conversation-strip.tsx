import { useEffect, useRef, useState } from 'react'
import { type Conversation, useResetConversation } from '../../../api/conversation.ts'
import type { Agent } from '../../../api/fleet.ts'
import { ConfirmDialog } from '../../../shared/confirm-dialog.tsx'
import { tokenWords } from '../../../shared/run/run-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import type { takenWords } from './conversation-parts.ts'
import { ModelSelect } from './model-select.tsx'

export interface ContextUse {
  readonly tokens: number
  readonly window: number | null
}

export function ConversationStrip(props: {
  readonly agent: Agent
  readonly conversation: Conversation
  /** null = nothing yet. */
  readonly taken: ReturnType<typeof takenWords>
  readonly context: ContextUse | null
  readonly onReset: () => void
}) {
  const { agent, conversation, taken, context } = props
  const [asking, setAsking] = useState(false)
  const begun = useRef(false)
  const { onReset } = props
  // Waits until the dialog is closed, because nothing behind an open dialog can get the focus.
  useEffect(() => {
    if (asking || !begun.current) return
    begun.current = false
    onReset()
  }, [asking, onReset])
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-5 py-1.5 text-sm text-muted">
      <ModelSelect agent={agent} conversation={conversation} />
      {context ? <ContextBar {...context} /> : null}
      {taken ? (
        <span className="tabular-nums" title={taken.rest}>
          <span className="text-text">{taken.cost}</span>
          <span className="hidden wide:inline">{` · ${taken.rest}`}</span>
        </span>
      ) : null}
      <Button
        kind="quiet"
        icon="plus"
        className="-mr-3 ml-auto"
        disabled={conversation.runs.length === 0}
        onClick={() => setAsking(true)}
      >
        <span className="max-wide:sr-only">New conversation</span>
      </Button>
      {asking ? (
        <ResetDialog
          agent={agent}
          active={conversation.activeRunId !== null}
          onClose={() => setAsking(false)}
          onReset={() => {
            begun.current = true
            setAsking(false)
          }}
        />
      ) : null}
    </div>
  )
}

function ContextBar({ tokens, window }: ContextUse) {
  const share = window === null ? null : Math.min(1, tokens / window)
  const words = window === null ? `${tokenWords(tokens)} tokens` : `${tokenWords(tokens)} of ${tokenWords(window)}`
  return (
    <span className="flex items-center gap-2 tabular-nums" title="How full the model’s memory of this conversation is">
      <span>Context</span>
      {share === null ? null : (
        <span aria-hidden="true" className="h-[3px] w-16 overflow-hidden rounded-full bg-line">
          <span
            className={`block h-full ${share > 0.85 ? 'bg-needs' : 'bg-accent'}`}
            style={{ width: `${Math.max(2, share * 100)}%` }}
          />
        </span>
      )}
      <span className="text-text">{words}</span>
    </span>
  )
}

function ResetDialog(props: { agent: Agent; active: boolean; onClose: () => void; onReset: () => void }) {
  const { agent, active, onClose } = props
  const reset = useResetConversation(agent.id)
  return (
    <ConfirmDialog
      title="Start a new conversation?"
      change={reset}
      action="start a new conversation"
      confirm={['Start new', 'Starting']}
      keep="Keep this one"
      kind="primary"
      isDisabled={active}
      onClose={onClose}
      onDone={() => {
        announce('New conversation started')
        props.onReset()
      }}
    >
      <p>
        {`${agent.displayName} forgets these messages, but keeps what it wrote to its files. You can still read them here and in Runs.`}
      </p>
      {active ? <p className="text-needs">It is working. Stop it first.</p> : null}
    </ConfirmDialog>
  )
}
