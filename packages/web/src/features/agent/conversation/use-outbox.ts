import { ApiError } from '@clawboo/api/client'
import { useMemo } from 'react'
import { useSendMessage } from '../../../api/conversation.ts'
import { writeProblem } from '../../../shared/problem-words.ts'
import { useValue } from '../../../ui/state/value-store.ts'
import type { OutboxItem } from './outbox.ts'
import { outboxOf, type Unsent } from './outbox-store.ts'

export interface Outbox {
  readonly items: readonly OutboxItem[]
  readonly send: (item: Unsent) => void
  readonly forget: (id: string) => void
}

/** Sends, and keeps each message until the server has answered for it. */
export function useOutbox(agentId: string): Outbox {
  const store = outboxOf(agentId)
  const items = useValue(store.items)
  const { mutateAsync } = useSendMessage(agentId)
  return useMemo(
    () => ({
      items,
      forget: store.forget,
      send: (item) => {
        const { id, text, mode } = item
        store.send(item, () => mutateAsync({ id, text, ...(mode === null ? {} : { mode }) }), sendProblem)
      },
    }),
    [store, items, mutateAsync],
  )
}

function sendProblem(error: unknown): string {
  if (error instanceof ApiError && error.code === 'queue_full') {
    return 'Not sent: too many messages wait already. Try again when one of them is through.'
  }
  if (error instanceof ApiError && error.code === 'network') {
    return 'Not known to have been sent: the server does not answer. It is kept here. Sending it again is safe.'
  }
  return writeProblem(error)
    .replace('Not saved', 'Not sent')
    .replace('What you typed is still here', 'Your message is kept here')
}
