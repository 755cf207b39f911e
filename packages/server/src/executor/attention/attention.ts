import type { LiveEvent } from '@clawboo/api'
import { ClawbooError } from '@clawboo/core'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import { currentActor } from '../../access/actor.ts'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { NewAttentionItem } from '../../store/repositories/runs/attention-repository.ts'
import { sortableId } from '../../store/sortable-id.ts'

/** What needs a person, kept until it is settled. Each item is answered once, or expires. */
export interface Attention {
  /** Kept before it resolves: a person finds it also after a crash. */
  open(item: OpenAttention): Promise<AttentionItem>
  /** Open ones by age, then settled ones, newest first. */
  list(filter: { readonly state?: 'open' | 'settled'; readonly limit: number }): Promise<AttentionItem[]>
  /**
   * Throws `attention_not_found`, `attention_settled`, `answer_refused` for one that is not offered, `request_invalid`
   * for one that lacks its text, and for a person's task whatever the board refuses. A text is for tasks only.
   */
  answer(id: string, answer: AttentionAnswer, actor?: string, text?: string): Promise<AttentionItem>
  /** Settles a task's item by an answer and nothing else: for whoever takes the answers to tasks. */
  settle(id: string, answer: AttentionAnswer, actor: string): Promise<AttentionItem>
  /** Answers to tasks, of the board or of runs, go there from here on. */
  takeAnswers(to: 'board' | 'run', take: TaskAnswerer): void
  /** Nobody waits for these any more. */
  withdraw(ids: readonly string[]): Promise<void>
  /** What these runs asked for has nobody behind it any more. */
  expireOfRuns(runIds: readonly string[]): Promise<void>
  /** Open approvals of whoever opened them: here, too, they expire in their time and their answers are told. */
  watch(items: readonly AttentionItem[]): Promise<void>
  /** Runs once for each answer: an approval's where it was opened or is watched, any other's where it was given. */
  onAnswer(listener: (item: AttentionItem) => void | Promise<void>): () => void
  /** Runs once for each approval that was opened or is watched here and expired. */
  onExpire(listener: (item: AttentionItem) => void | Promise<void>): () => void
  close(): void
}

export type OpenAttention = Omit<NewAttentionItem, 'id' | 'createdAt'>

/** An answer that is offered, with the text it needs. */
export interface TaskAnswer {
  readonly item: AttentionItem
  readonly answer: AttentionAnswer
  readonly text: string
  /** Whose credential gave it. */
  readonly actor: string
}

/** Resolves to the item as it is afterwards. */
export type TaskAnswerer = (given: TaskAnswer) => Promise<AttentionItem>

export interface AttentionDependencies {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly now?: () => number
}

const CHANNEL = 'clawboo_attention'
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createAttention({ store, record, log, now = Date.now }: AttentionDependencies): Attention {
  /** Approvals that were opened or are watched here and, as far as is known here, are not settled. */
  const waiting = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  const answered = createListeners(log)
  const expired = createListeners(log)
  const answerers = new Map<'board' | 'run', TaskAnswerer>()

  /** Another server may have settled what is waited for here. */
  const look = async () => {
    for (const item of await store.attention.settledAmong([...waiting])) settle(item)
  }
  const settle = (item: AttentionItem) => {
    if (!waiting.delete(item.id)) return
    if (item.state === 'answered') answered.call(item)
    else expired.call(item)
  }
  const expire = async (which: Parameters<Store['attention']['expire']>[0]) => {
    const items = await record({ action: null }, async (tx) => {
      const gone = await tx.attention.expire(which, now())
      return { result: gone, events: gone.map(attentionChanged) }
    })
    for (const item of items) settle(item)
    if (items.length > 0) store.db.notify(CHANNEL)
  }
  const expireLater = (expiresAt: number) => {
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        if (expiresAt > now()) expireLater(expiresAt)
        else expire({ dueAt: now() }).catch((error: unknown) => log.error('an item could not expire', { error }))
      },
      Math.min(Math.max(expiresAt - now(), 1), LONGEST_TIMER_MS),
    ).unref()
    timers.add(timer)
  }
  const keepAnswer = (id: string, answer: AttentionAnswer, actor: string) =>
    record({ action: 'attention.answer', subject: id, actor }, async (tx) => {
      refuseAnswer(await tx.attention.get(id), id, answer)
      const settled = await tx.attention.answer(id, { answer, by: actor, at: now() })
      if (!settled) throw alreadySettled(id)
      return { result: settled, events: [attentionChanged(settled)], detail: answerDetail(settled) }
    })
  const stopListening = store.db.listen(CHANNEL, () => {
    look().catch((error: unknown) => log.error('answers could not be read', { error }))
  })

  return {
    async open(item) {
      const id = sortableId(now())
      // Before it can be seen, and so before it can be answered.
      if (item.kind === 'approval') waiting.add(id)
      const opened = await record({ action: null }, async (tx) => {
        const inserted = await tx.attention.insert({ ...item, id, createdAt: now() })
        return { result: inserted, events: [attentionChanged(inserted)] }
      }).catch((error: unknown) => {
        waiting.delete(id)
        throw error
      })
      if (opened.expiresAt !== null) expireLater(opened.expiresAt)
      return opened
    },
    list: (filter) => store.attention.list(filter),
    async answer(id, answer, actor = currentActor()?.name ?? 'server', text = '') {
      const known = await store.attention.get(id)
      if (known?.kind === 'task') {
        refuseAnswer(known, id, answer)
        refuseSilence(answer, text)
        const take = answerers.get(known.runId === null ? 'board' : 'run')
        if (!take) throw new TypeError('nobody takes the answers to tasks')
        return take({ item: known, answer, text: text.trim(), actor })
      }
      const item = await keepAnswer(id, answer, actor)
      if (item.kind !== 'approval') answered.call(item)
      else {
        settle(item)
        store.db.notify(CHANNEL)
      }
      return item
    },
    settle: keepAnswer,
    takeAnswers: (to, take) => void answerers.set(to, take),
    async withdraw(ids) {
      if (ids.length > 0) await expire({ ids })
    },
    async expireOfRuns(runIds) {
      if (runIds.length > 0) await expire({ runIds })
    },
    async watch(items) {
      for (const { id, expiresAt } of items) {
        if (waiting.has(id)) continue
        waiting.add(id)
        if (expiresAt !== null) expireLater(expiresAt)
      }
      // One of them may have been settled before it was waited for.
      await look()
    },
    onAnswer: answered.add,
    onExpire: expired.add,
    close() {
      stopListening()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

export function attentionChanged(item: AttentionItem): LiveEvent {
  return { type: 'attention-changed', item }
}

/** For the audit: an item may be gone with its agent when somebody reads it. */
export function answerDetail({ answer, kind, title, agentId, runId }: AttentionItem) {
  return { answer, kind, title, agentId, runId }
}

/** These are nothing without words. */
function refuseSilence(answer: AttentionAnswer, text: string): void {
  if ((answer !== 'answer' && answer !== 'refuse') || text.trim() !== '') return
  const message = answer === 'answer' ? 'An answer needs words.' : 'Whoever asked has to be told why.'
  throw new ClawbooError('request_invalid', message, { details: { problems: [{ field: 'text', message }] } })
}

/** Throws `attention_not_found`, `attention_settled` and `answer_refused`. */
export function refuseAnswer(item: AttentionItem | null, id: string, answer: AttentionAnswer): void {
  if (!item) throw new ClawbooError('attention_not_found', `there is no item "${id}"`, { details: { itemId: id } })
  if (item.state !== 'open') throw alreadySettled(id)
  if (item.answers.includes(answer)) return
  throw new ClawbooError('answer_refused', `"${answer}" is no answer to this; it takes ${item.answers.join(', ')}`, {
    details: { itemId: id, answers: item.answers },
  })
}

export function alreadySettled(id: string): ClawbooError {
  return new ClawbooError('attention_settled', 'this was answered already, or nobody waits for it any more', {
    details: { itemId: id },
  })
}

/** A listener that fails must not undo an answer that is kept already. */
function createListeners(log: Log) {
  const listeners = new Set<(item: AttentionItem) => void | Promise<void>>()
  const failed = (error: unknown) => log.error('an answer could not be passed on', { error })
  return {
    add(listener: (item: AttentionItem) => void | Promise<void>): () => void {
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
