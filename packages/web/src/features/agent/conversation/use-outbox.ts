import { ApiError } from '@clawboo/api/client'
import { useMemo } from 'react'
import { useSendMessage } from '../../../api/conversation.ts'
import { problemWords } from '../../../shared/problem-words.ts'
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
  switch (error instanceof ApiError ? error.code : 'internal') {
    case 'queue_full':
      return "Couldn't send. Too many messages are waiting. Try again when one is delivered."
    case 'network':
      return "Not confirmed. The server isn't responding. Sending it again is safe."
    default:
      return problemWords(error, 'send')
  }
}
