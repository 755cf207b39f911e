import { useMemo } from 'react'
import { useSendMessage } from '../../../api/conversation.ts'
import { sendProblem } from '../../../shared/composer/send-problem.ts'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { createValueStore, useValue, type ValueStore } from '../../../ui/state/value-store.ts'
import {
  LEFT_BEHIND,
  type OutboxItem,
  outboxPlace,
  readItem,
  SEND_PROMISE,
  storedItem,
  VOUCH_MS,
  withItem,
} from './outbox.ts'

export type Unsent = Pick<OutboxItem, 'id' | 'text' | 'mode'> & { readonly writtenAt?: number }

/** The unsent messages to one Boo, shared by all pages of this browser. It stays when the view that sends is closed. */
interface OutboxStore {
  readonly items: ValueStore<readonly OutboxItem[]>
  /** Sends one after the other, in order. `deliver` rejects with the error. */
  send(item: Unsent, deliver: () => Promise<unknown>, problemOf: (error: unknown) => string): void
  forget(id: string): void
}

const stores = new Map<string, OutboxStore>()

function outboxOf(agentId: string): OutboxStore {
  const known = stores.get(agentId)
  if (known) return known
  const store = openOutbox(agentId)
  stores.set(agentId, store)
  return store
}

function openOutbox(agentId: string): OutboxStore {
  const items = createValueStore(storedItems(agentId))
  const underWay = new Map<string, OutboxItem>()
  let before: Promise<unknown> = Promise.resolve()

  const show = (id: string, item: OutboxItem | null) => items.set(withItem(items.get(), id, item))
  const keep = (item: OutboxItem) => writeStored(outboxPlace(agentId, item.id), storedItem(item))
  const put = (id: string, item: OutboxItem | null) => {
    if (item?.problem === null) underWay.set(id, item)
    else underWay.delete(id)
    if (item) keep(item)
    else writeStored(outboxPlace(agentId, id), null)
    show(id, item)
  }

  followStorage(agentId, show)
  // While this page is open, its messages count as being sent. After it closes, their state is unknown.
  setInterval(() => {
    for (const item of underWay.values()) keep({ ...item, vouchedAt: Date.now() })
  }, VOUCH_MS)
  window.addEventListener('pagehide', () => {
    for (const item of underWay.values()) keep({ ...item, problem: LEFT_BEHIND })
  })

  return {
    items,
    forget: (id) => put(id, null),
    send({ id, text, mode, writtenAt = Date.now() }, deliver, problemOf) {
      const item = { id, text, mode, writtenAt, vouchedAt: Date.now(), problem: null }
      put(id, item)
      before = before.then(deliver).then(
        () => put(id, null),
        (error: unknown) => put(id, { ...item, problem: problemOf(error) }),
      )
    },
  }
}

function followStorage(agentId: string, show: (id: string, item: OutboxItem | null) => void): void {
  const place = outboxPlace(agentId)
  window.addEventListener('storage', ({ key, newValue }) => {
    if (!key?.startsWith(place)) return
    const id = key.slice(place.length)
    show(id, readItem(id, newValue, Date.now()))
  })
  // No event reports that a page closed while it was sending.
  setInterval(() => {
    for (const item of storedItems(agentId)) show(item.id, item)
  }, VOUCH_MS)
}

function storedItems(agentId: string): readonly OutboxItem[] {
  const place = outboxPlace(agentId)
  const now = Date.now()
  return storedKeys()
    .filter((key) => key.startsWith(place))
    .flatMap((key) => readItem(key.slice(place.length), readStored(key), now) ?? [])
    .reduce<readonly OutboxItem[]>((items, item) => withItem(items, item.id, item), [])
}

function storedKeys(): readonly string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    // The browser blocks its storage.
    return []
  }
}

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
