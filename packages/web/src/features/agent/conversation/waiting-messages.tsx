import type { MessageRecord } from '@clawboo/core/executor'
import { useState } from 'react'
import { useWithdrawMessage } from '../../../api/conversation.ts'
import { AGENT_MODES, modeOf } from '../../../shared/composer/send-modes.ts'
import { announceResult } from '../../../shared/problem.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Pill } from '../../../ui/pill.tsx'
import type { OutboxItem } from './outbox.ts'
import type { Outbox } from './outbox-store.ts'

/** Messages that are not in a run yet: sending, waiting or failed. */
export function WaitingMessages(props: {
  readonly agentId: string
  readonly queued: readonly MessageRecord[]
  readonly outbox: Outbox
  /** Puts the text back into the message field. */
  readonly onEdit: (text: string) => void
}) {
  const { agentId, queued, outbox, onEdit } = props
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set())
  const withdraw = useWithdrawMessage(agentId)
  const known = new Set(queued.map(({ id }) => id))
  const shown = queued.filter(({ id }) => !dismissed.has(id))
  const unsent = outbox.items.filter(({ id }) => !known.has(id))
  if (shown.length === 0 && unsent.length === 0) return null
  const takeBack = (message: MessageRecord) =>
    announceResult(
      // The response has the whole text; the feed may have shortened it.
      withdraw.mutateAsync(message.id).then(({ text }) => onEdit(text)),
      'Withdrawn. Its text is in the message field.',
      'withdraw it',
    )
  return (
    <ul aria-label="Waiting messages" className="mb-2 flex max-h-[30vh] flex-col gap-1 overflow-y-auto">
      {shown.map((message) => (
        <li key={message.id} className={lineClass}>
          <Pill tone={isTrouble(message) ? 'bad' : 'outline'}>{stateWords(message)}</Pill>
          <span className="min-w-0 flex-1">
            <span className="line-clamp-2 break-words">{message.text}</span>
            {message.reason ? <span className="block text-sm text-bad">{message.reason}</span> : null}
          </span>
          <PassesFocus key={message.state}>
            {message.state === 'queued' ? (
              <IconButton icon="close" label="Withdraw" className="-my-1" onClick={() => takeBack(message)} />
            ) : isTrouble(message) ? (
              <IconButton
                icon="close"
                label="Dismiss"
                className="-my-1"
                onClick={() => setDismissed((now) => new Set([...now, message.id]))}
              />
            ) : null}
          </PassesFocus>
        </li>
      ))}
      {unsent.map((item) => (
        <UnsentLine key={item.id} item={item} outbox={outbox} onEdit={onEdit} />
      ))}
    </ul>
  )
}

function UnsentLine({ item, outbox, onEdit }: { item: OutboxItem; outbox: Outbox; onEdit: (text: string) => void }) {
  const { problem } = item
  return (
    <li className={lineClass}>
      <Pill tone={problem ? 'bad' : 'outline'}>{problem ? 'Not sent' : 'Sending'}</Pill>
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 break-words">{item.text}</span>
        {problem ? (
          <span role="alert" className="block text-sm text-bad">
            {problem}
          </span>
        ) : null}
      </span>
      {problem ? (
        <PassesFocus>
          <span className="flex shrink-0 gap-3 text-sm font-[550] text-accent-text">
            <button type="button" className="rounded-s hover:underline" onClick={() => outbox.send(item)}>
              Try again
            </button>
            <button
              type="button"
              className="rounded-s hover:underline"
              onClick={() => {
                outbox.forget(item.id)
                onEdit(item.text)
              }}
            >
              Edit
            </button>
          </span>
        </PassesFocus>
      ) : null}
    </li>
  )
}

const lineClass = 'flex items-start gap-2.5 rounded-m border border-line bg-bg px-3 py-2'

function isTrouble({ state }: MessageRecord): boolean {
  return state === 'failed' || state === 'dropped' || state === 'uncertain'
}

function stateWords(message: MessageRecord): string {
  switch (message.state) {
    case 'delivering':
      return 'Delivering'
    case 'failed':
      return 'Not delivered'
    case 'dropped':
      return 'Dropped'
    case 'uncertain':
      return 'May have arrived'
    default:
      return `Waiting: ${modeOf(AGENT_MODES, message.mode).label.toLowerCase()}`
  }
}
