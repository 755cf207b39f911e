import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import { currentActor } from '../../access/actor.ts'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { NewAttentionItem } from '../../store/repositories/runs/attention-repository.ts'
import { sortableId } from '../../store/sortable-id.ts'

/** The items that need a person. Each is stored, and is answered once or expires. */
export interface Attention {
  /** Resolves when the item is stored, so that a person finds it even after a crash. */
  open(item: OpenAttention): Promise<AttentionItem>
  /** The open items by age, then the settled ones, newest first. */
  list(filter: { readonly state?: 'open' | 'settled'; readonly limit: number }): Promise<AttentionItem[]>
  /**
   * Throws `attention_not_found`, `attention_settled`, `answer_refused` when the answer is not offered, `request_invalid`
   * when its text is missing, and the board's own errors for a person's task. Only answers to tasks have a text.
   */
  answer(id: string, answer: AttentionAnswer, actor?: string, text?: string): Promise<AttentionItem>
  /** Stores an answer without its effects. For the code that handles answers to tasks. */
  settle(id: string, answer: AttentionAnswer, actor: string): Promise<AttentionItem>
  /** Registers the handler of answers to the tasks of the board or of runs. */
  takeAnswers(to: 'board' | 'run', take: TaskAnswerer): void
  /** Expires items that no longer need an answer. */
  withdraw(ids: readonly string[]): Promise<void>
  /** Expires the items of runs that have ended. */
  expireOfRuns(runIds: readonly string[]): Promise<void>
  /** Watches open approvals that other code opened: they expire on time, and listeners here get their answers. */
  watch(items: readonly AttentionItem[]): Promise<void>
  /**
   * Calls the listener once per answer: on the server that opened or watches an approval, or that answered any other
   * item.
   */
  onAnswer(listener: ItemListener): () => void
  /** Calls the listener once for each expired approval that was opened or watched here. */
  onExpire(listener: ItemListener): () => void
  close(): void
}

export type OpenAttention = Omit<NewAttentionItem, 'id' | 'createdAt'>

type ItemListener = (item: AttentionItem) => void | Promise<void>

/** An offered answer with its text. */
export interface TaskAnswer {
  readonly item: AttentionItem
  readonly answer: AttentionAnswer
  readonly text: string
  /** The name of the credential that gave the answer. */
  readonly actor: string
}

/** Resolves to the item after the answer. */
export type TaskAnswerer = (answer: TaskAnswer) => Promise<AttentionItem>

export interface AttentionOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly now?: () => number
}

export function createAttention({ store, record, log, now = Date.now }: AttentionOptions): Attention {
  const watcher = createApprovalWatcher({ store, record, log, now })
  const answerers = new Map<'board' | 'run', TaskAnswerer>()
  const settle = (id: string, answer: AttentionAnswer, actor: string) =>
    record({ action: 'attention.answer', subject: id, actor }, async (tx) => {
      requireAnswerable(await tx.attention.get(id), id, answer)
      const settled = await tx.attention.answer(id, { answer, by: actor, at: now() })
      if (!settled) throw alreadySettled(id)
      return { result: settled, events: [attentionChanged(settled)], detail: answerDetail(settled) }
    })

  return {
    async open(item) {
      const id = sortableId(now())
      // Watch the item before it is visible, and so before anyone can answer it.
      if (item.kind === 'approval') watcher.add(id)
      const opened = await record({ action: null }, async (tx) => {
        const inserted = await tx.attention.insert({ ...item, id, createdAt: now() })
        return { result: inserted, events: [attentionChanged(inserted)] }
      }).catch((error: unknown) => {
        watcher.remove(id)
        throw error
      })
      if (opened.expiresAt !== null) watcher.expireAt(opened.expiresAt)
      return opened
    },
    list: (filter) => store.attention.list(filter),
    async answer(id, answer, actor = currentActor()?.name ?? 'server', text = '') {
      const found = await store.attention.get(id)
      if (found?.kind === 'task') {
        requireAnswerable(found, id, answer)
        requireText(answer, text)
        const take = answerers.get(found.runId === null ? 'board' : 'run')
        if (!take) throw new TypeError('no handler is registered for answers to tasks')
        return take({ item: found, answer, text: text.trim(), actor })
      }
      const item = await settle(id, answer, actor)
      watcher.answered(item)
      return item
    },
    settle,
    takeAnswers: (to, take) => void answerers.set(to, take),
    async withdraw(ids) {
      if (ids.length > 0) await watcher.expire({ ids })
    },
    async expireOfRuns(runIds) {
      if (runIds.length > 0) await watcher.expire({ runIds })
    },
    watch: watcher.watch,
    onAnswer: watcher.onAnswer,
    onExpire: watcher.onExpire,
    close: watcher.close,
  }
}

const CHANNEL = 'clawboo_attention'

/** Follows approvals until they are settled, on any server, and expires them on time. */
function createApprovalWatcher({ store, record, log, now }: Required<AttentionOptions>) {
  /** The watched approvals that are not settled, as far as this server knows. */
  const watched = new Set<string>()
  const answerListeners = createListeners(log)
  const expiryListeners = createListeners(log)

  const settled = (item: AttentionItem) => {
    if (!watched.delete(item.id)) return
    if (item.state === 'answered') answerListeners.call(item)
    else expiryListeners.call(item)
  }
  /** Finds approvals that another server has settled. */
  const findSettled = async () => {
    for (const item of await store.attention.settledAmong([...watched])) settled(item)
  }
  const expire = async (which: Parameters<Store['attention']['expire']>[0]) => {
    const items = await record({ action: null }, async (tx) => {
      const expired = await tx.attention.expire(which, now())
      return { result: expired, events: expired.map(attentionChanged) }
    })
    for (const item of items) settled(item)
    if (items.length > 0) store.db.notify(CHANNEL)
  }
  const timers = createExpiryTimers(now, () =>
    expire({ dueAt: now() }).catch((error: unknown) => log.error('an item could not expire', { error })),
  )
  const stopListening = store.db.listen(CHANNEL, () => {
    findSettled().catch((error: unknown) => log.error('answers could not be read', { error }))
  })

  return {
    add: (id: string) => void watched.add(id),
    remove: (id: string) => void watched.delete(id),
    expire,
    expireAt: timers.add,
    answered(item: AttentionItem): void {
      if (item.kind === 'approval') {
        settled(item)
        store.db.notify(CHANNEL)
      } else answerListeners.call(item)
    },
    async watch(items: readonly AttentionItem[]): Promise<void> {
      for (const { id, expiresAt } of items) {
        if (watched.has(id)) continue
        watched.add(id)
        if (expiresAt !== null) timers.add(expiresAt)
      }
      // One of them may have been settled before it was watched.
      await findSettled()
    },
    onAnswer: answerListeners.add,
    onExpire: expiryListeners.add,
    close(): void {
      stopListening()
      timers.clear()
    },
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Sets timers for times that may be further away than the longest timer. */
function createExpiryTimers(now: () => number, onDue: () => void) {
  const timers = new Set<NodeJS.Timeout>()
  const add = (expiresAt: number) => {
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        if (expiresAt > now()) add(expiresAt)
        else onDue()
      },
      Math.min(Math.max(expiresAt - now(), 1), LONGEST_TIMER_MS),
    ).unref()
    timers.add(timer)
  }
  return {
    add,
    clear(): void {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

export function attentionChanged(item: AttentionItem): LiveEvent {
  return { type: 'attention-changed', item }
}

/** The audit entry repeats the item, which may be deleted with its agent. */
export function answerDetail({ answer, kind, title, agentId, runId }: AttentionItem) {
  return { answer, kind, title, agentId, runId }
}

/** Throws `request_invalid` when the answer needs a text and has none. */
function requireText(answer: AttentionAnswer, text: string): void {
  if ((answer !== 'answer' && answer !== 'refuse') || text.trim() !== '') return
  const message = answer === 'answer' ? 'An answer needs a text.' : 'A refusal needs a reason.'
  throw new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'text', message }] } })
}

/** Throws `attention_not_found`, `attention_settled` and `answer_refused`. */
export function requireAnswerable(item: AttentionItem | null, id: string, answer: AttentionAnswer): void {
  if (!item) throw new ClawbooError('attention_not_found', `there is no item "${id}"`, { details: { itemId: id } })
  if (item.state !== 'open') throw alreadySettled(id)
  if (item.answers.includes(answer)) return
  throw new ClawbooError(
    'answer_refused',
    `"${answer}" is not a possible answer; choose one of ${item.answers.join(', ')}`,
    {
      details: { itemId: id, answers: item.answers },
    },
  )
}

export function alreadySettled(id: string): ClawbooError {
  return new ClawbooError('attention_settled', 'this was already answered, or no longer needs an answer', {
    details: { itemId: id },
  })
}

/** A failing listener must not undo a stored answer. */
function createListeners(log: Log) {
  const listeners = new Set<ItemListener>()
  const failed = (error: unknown) => log.error('a listener for an answer failed', { error })
  return {
    add(listener: ItemListener): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call(item: AttentionItem): void {
      for (const listener of listeners) {
        try {
          Promise.resolve(listener(item)).catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    },
  }
}
