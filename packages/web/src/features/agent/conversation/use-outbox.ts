import { ApiError } from '@clawboo/api/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSendMessage } from '../../../api/conversation.ts'
import { writeProblem } from '../../../api/problem-words.ts'
import { readStored, writeStored } from '../../../ui/stored-text.ts'
import { type OutboxItem, outboxText, readOutbox } from './outbox.ts'

export interface Outbox {
  readonly items: readonly OutboxItem[]
  readonly send: (item: OutboxItem) => void
  readonly forget: (id: string) => void
}

/** Sends one after the other, in order, and keeps each until the server has answered for it. */
export function useOutbox(agentId: string): Outbox {
  const key = `clawboo.outbox.${agentId}`
  const [items, setItems] = useState(() => readOutbox(readStored(key)))
  const { mutateAsync } = useSendMessage(agentId)
  const before = useRef<Promise<unknown>>(Promise.resolve())
  useEffect(() => writeStored(key, outboxText(items)), [key, items])

  const forget = useCallback((id: string) => setItems((now) => now.filter((item) => item.id !== id)), [])
  const send = useCallback(
    (item: OutboxItem) => {
      const show = (problem: string | null) =>
        setItems((now) => [...now.filter(({ id }) => id !== item.id), { ...item, problem }])
      show(null)
      const { id, text, mode } = item
      before.current = before.current
        .then(() => mutateAsync({ id, text, ...(mode === null ? {} : { mode }) }))
        .then(
          () => forget(id),
          (error: unknown) => show(sendProblem(error)),
        )
    },
    [mutateAsync, forget],
  )
  return { items, send, forget }
}

function sendProblem(error: unknown): string {
  if (error instanceof ApiError && error.code === 'queue_full') {
    return 'Not sent: too many messages wait already. Try again when one of them is through.'
  }
  return writeProblem(error)
    .replace('Not saved', 'Not sent')
    .replace('What you typed is still here', 'Your message is kept here')
}
