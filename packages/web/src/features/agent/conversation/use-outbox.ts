import { useMemo } from 'react'
import { useSendMessage } from '../../../api/conversation.ts'
import { sendProblem } from '../../../shared/composer/send-problem.ts'
import { useValue } from '../../../ui/state/value-store.ts'
import { type OutboxItem, SEND_PROMISE } from './outbox.ts'
import { outboxOf, type Unsent } from './outbox-store.ts'

export interface Outbox {
  readonly items: readonly OutboxItem[]
  readonly send: (item: Unsent) => void
  readonly forget: (id: string) => void
}

/** Sends messages, and stores each one until the server confirms it. */
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
        store.send(
          item,
          () => mutateAsync({ id, text, ...(mode === null ? {} : { mode }) }),
          (error) => sendProblem(error, SEND_PROMISE),
        )
      },
    }),
    [store, items, mutateAsync],
  )
}
