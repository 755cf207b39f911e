import type { LiveEvent } from '@clawboo/api/live-event'
import type { AttentionItem } from '@clawboo/core/executor'
import type { BoardDependencies } from '../../board/board-change.ts'
import { createReports } from '../../board/reports.ts'
import type { EventLog } from '../../live/event-log.ts'
import type { Log } from '../../log.ts'
import type { Repositories } from '../../store/open-store.ts'
import { sortableId } from '../../store/sortable-id.ts'
import { type Attention, attentionChanged } from '../attention/attention.ts'
import { answerPersonTask, PEOPLE } from './answer-person-task.ts'
import { askedFor, saysTheSame } from './person-task-item.ts'

/**
 * Tasks of people: each that is ready or in progress has exactly one open attention item, and what is answered there is
 * done to the task. The board is the truth; items follow it, also over a crash between the two.
 */
export interface PersonTasks {
  /** Follows the board from here on; resolves when every item fits what is there. */
  start(): Promise<void>
  /** Resolves when all that was committed before the call has been looked at. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface PersonTasksDependencies extends BoardDependencies {
  readonly attention: Pick<Attention, 'takeAnswers'>
  readonly events: Pick<EventLog, 'after' | 'head' | 'lastSeq' | 'onAdvance'>
  readonly log: Log
}

const PAGE = 200
const RETRY_MS = 1_000
/** More than people are asked at once. */
const MOST_TASKS = 10_000

export function createPersonTasks(parts: PersonTasksDependencies): PersonTasks {
  const { store, events, log } = parts
  /** Tasks with an open item, as far as the log was read. */
  const shown = new Set<string>()
  const due = new Set<string>()
  let cursor = 0
  let isClosed = true
  let working: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  let stopListening = () => {}
  parts.attention.takeAnswers('board', (given) => answerPersonTask(parts, given))

  const note = (event: LiveEvent) => {
    if (event.type === 'task-changed') {
      if (event.task.assignee?.kind === 'person' || shown.has(event.task.id)) due.add(event.task.id)
    } else if (event.type === 'attention-changed') {
      const taskId = subjectOf(event.item)
      if (taskId !== null) shown[event.item.state === 'open' ? 'add' : 'delete'](taskId)
    } else for (const taskId of shown) due.add(taskId)
  }
  const read = async () => {
    for (;;) {
      const page = await events.after(cursor, PAGE)
      const last = page.at(-1)
      if (!last) return
      cursor = last.seq
      for (const { frame } of page) {
        const event = eventOf(frame)
        if (event) note(event)
      }
    }
  }
  /** What fails stays due, and holds up nothing else. */
  const fit = async () => {
    const failures: unknown[] = []
    for (const taskId of due) {
      if (isClosed) return
      try {
        const isOpen = await fitItem(parts, taskId)
        shown[isOpen ? 'add' : 'delete'](taskId)
        await endLeftAttempts(parts, taskId)
        due.delete(taskId)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  const work = async () => {
    do {
      await read()
      await fit()
    } while (!isClosed && cursor < events.head)
  }
  /** One at a time. What fails is tried again: the board may have been out of reach. */
  const poke = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    working ??= work()
      .catch((error: unknown) => {
        log.error('the tasks of people could not be looked at', { error })
        retry ??= setTimeout(() => {
          retry = undefined
          void poke()
        }, RETRY_MS).unref()
      })
      .finally(() => {
        working = null
        if (cursor < events.head && retry === undefined) void poke()
      })
    return working
  }

  return {
    async start() {
      isClosed = false
      cursor = events.head
      stopListening = events.onAdvance(() => void poke())
      for (const item of await store.attention.openTasks()) {
        const taskId = subjectOf(item)
        if (taskId !== null) shown.add(taskId)
      }
      const toDo = await store.tasks.toDo({ limit: MOST_TASKS })
      const accepted = (await store.executions.underWay()).filter(({ owner }) => owner === PEOPLE)
      for (const { id, assignee } of toDo) if (assignee?.kind === 'person') due.add(id)
      for (const taskId of [...shown, ...accepted.map(({ taskId }) => taskId)]) due.add(taskId)
      await poke()
    },
    async settled() {
      const until = await events.lastSeq()
      while (!isClosed && (cursor < until || due.size > 0 || working)) {
        await poke()
        if (cursor < until) await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      stopListening()
      await working
    },
  }
}

/** The task of the board an item is about; null when it is about none. */
function subjectOf({ kind, runId, subjectId }: AttentionItem): string | null {
  return kind === 'task' && runId === null ? subjectId : null
}

/** Names, and who is there, stand in items too. */
const OF_INTEREST: ReadonlySet<string> = new Set<LiveEvent['type']>([
  'task-changed',
  'attention-changed',
  'agent-upserted',
  'agent-archived',
  'agent-removed',
  'team-removed',
])

/** null for what is of no interest here, which most events are. */
function eventOf(frame: Buffer): LiveEvent | null {
  const start = frame.indexOf('\ndata: ')
  const type = /\nevent: (.+)$/.exec(frame.toString('latin1', 0, start))?.[1]
  if (type === undefined || !OF_INTEREST.has(type)) return null
  return JSON.parse(frame.toString('utf8', start + 7)) as LiveEvent
}

/** Brings the item of one task in line with it: opened, said anew, or ended. Resolves to whether one is open. */
async function fitItem({ record, now = Date.now }: BoardDependencies, taskId: string): Promise<boolean> {
  return record({ action: null }, async (tx) => {
    const [task] = await tx.tasks.lock([taskId])
    const open = await tx.attention.openTasks(taskId)
    const asked = task ? await askedFor(tx, task) : null
    const [kept, ...doubled] = asked ? open.filter(({ agentId }) => agentId === asked.agentId) : []
    const gone = [...open.filter((item) => item.agentId !== asked?.agentId || !asked), ...doubled]
    const changed = await tx.attention.expire({ ids: gone.map(({ id }) => id) }, now())
    if (asked && !kept) changed.push(await openItem(tx, taskId, asked, now()))
    else if (asked && kept && !saysTheSame(kept, asked.wording)) {
      const reworded = await tx.attention.reword(kept.id, asked.wording)
      if (reworded) changed.push(reworded)
    }
    return { result: asked !== null, events: changed.map(attentionChanged) }
  })
}

function openItem(
  tx: Repositories,
  taskId: string,
  { agentId, wording }: NonNullable<Awaited<ReturnType<typeof askedFor>>>,
  at: number,
): Promise<AttentionItem> {
  const about = { agentId, runId: null, subjectId: taskId, action: null, expiresAt: null }
  return tx.attention.insert({ ...wording, ...about, kind: 'task', id: sortableId(at), createdAt: at })
}

/**
 * A task that somebody else moved on has nobody at work on it any more; the attempt says so, and moves nothing. One whose
 * person is gone is given back.
 */
async function endLeftAttempts(board: BoardDependencies, taskId: string): Promise<void> {
  const { store, now = Date.now } = board
  const task = await store.tasks.get(taskId)
  if (!task || task.attempts === 0) return
  const isLeft = task.status === 'in_progress' ? (await askedFor(store, task)) === null : true
  if (!isLeft) return
  const left = (await store.executions.ofTasks([taskId])).filter(
    ({ owner, state }) => owner === PEOPLE && state === 'running',
  )
  const isDone = task.status === 'done' || task.status === 'in_review'
  const end = isDone
    ? ({ outcome: 'completed', reason: null } as const)
    : ({ outcome: 'released', reason: 'Who accepted it does not work on it any more.', interrupted: true } as const)
  for (const { id: executionId, attempt } of left)
    await createReports(board).submit({ executionId, attempt, ...end, costUsd: null, at: now() })
}
