import type { LiveEvent } from '@clawboo/api/live-event'
import type { AttentionItem } from '@clawboo/core/executor'
import type { BoardDependencies } from '../../board/board-change.ts'
import { createReports } from '../../board/reports.ts'
import type { EventLog } from '../../live/event-log.ts'
import type { Log } from '../../log.ts'
import type { Repositories } from '../../store/open-store.ts'
import { sortableId } from '../../store/sortable-id.ts'
import { type Attention, attentionChanged } from '../attention/attention.ts'
import { createBackgroundWork } from '../background-work.ts'
import { answerPersonTask, PEOPLE } from './answer-person-task.ts'
import { type AskedTask, askedFor, hasSameWording } from './person-task-item.ts'

/**
 * Keeps the attention items of people's tasks up to date: each ready or running task of a person has exactly one open
 * item, and an answer to the item acts on the task. The items follow the board, even after a crash between the two.
 */
export interface PersonTasks {
  /** Resolves when every item matches its task. From then on, the items follow the board. */
  start(): Promise<void>
  /** Resolves when every change that was committed before the call has been applied. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface PersonTasksOptions extends BoardDependencies {
  readonly attention: Pick<Attention, 'takeAnswers'>
  readonly events: Pick<EventLog, 'after' | 'head' | 'lastSeq' | 'onAdvance'>
  readonly log: Log
}

/** More tasks than people have at the same time. */
const MOST_TASKS = 10_000

export function createPersonTasks(options: PersonTasksOptions): PersonTasks {
  const { store, events, log } = options
  const dueTasks = new Set<string>()
  const follower = createTaskFollower(events, dueTasks)
  let stopListening = () => {}
  options.attention.takeAnswers('board', (answer) => answerPersonTask(options, answer))

  /** A task that fails stays due, and does not block the others. */
  const updateDueTasks = async () => {
    const failures: unknown[] = []
    for (const taskId of dueTasks) {
      if (following.isClosed) return
      try {
        follower.noteItem(taskId, await updateItem(options, taskId))
        await endAbandonedAttempts(options, taskId)
        dueTasks.delete(taskId)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  const following = createBackgroundWork({
    async pass() {
      do {
        await follower.read()
        await updateDueTasks()
      } while (!following.isClosed && follower.isBehind)
    },
    hasMore: () => follower.isBehind,
    onError: (error) => log.error('the tasks of people could not be read', { error }),
  })

  return {
    async start() {
      following.open()
      follower.start()
      stopListening = events.onAdvance(() => void following.run())
      for (const item of await store.attention.openTasks()) {
        const taskId = taskOf(item)
        if (taskId === null) continue
        follower.noteItem(taskId, true)
        dueTasks.add(taskId)
      }
      for (const taskId of await readPersonTasks(store)) dueTasks.add(taskId)
      await following.run()
    },
    async settled() {
      const until = await events.lastSeq()
      while (!following.isClosed && (follower.cursor < until || dueTasks.size > 0 || following.isRunning)) {
        await following.run()
        if (follower.cursor < until) await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
    async close() {
      stopListening()
      await following.close()
    },
  }
}

/** The tasks in To do that are assigned to people, and the tasks that people have accepted. */
async function readPersonTasks({ tasks, attempts }: Pick<Repositories, 'tasks' | 'attempts'>): Promise<string[]> {
  const toDo = (await tasks.toDo({ limit: MOST_TASKS })).filter(({ assignee }) => assignee?.kind === 'person')
  const accepted = (await attempts.underWay()).filter(({ owner }) => owner === PEOPLE)
  return [...toDo.map(({ id }) => id), ...accepted.map(({ taskId }) => taskId)]
}

const PAGE = 200

/** Reads the event log, and adds the tasks whose items may have to change to `dueTasks`. */
function createTaskFollower(events: PersonTasksOptions['events'], dueTasks: Set<string>) {
  /** The tasks with an open item, up to the cursor. */
  const tasksWithItem = new Set<string>()
  let cursor = 0
  const noteItem = (taskId: string, isOpen: boolean) => {
    tasksWithItem[isOpen ? 'add' : 'delete'](taskId)
  }
  const apply = (event: LiveEvent) => {
    if (event.type === 'task-changed') {
      if (event.task.assignee?.kind === 'person' || tasksWithItem.has(event.task.id)) dueTasks.add(event.task.id)
    } else if (event.type === 'attention-changed') {
      const taskId = taskOf(event.item)
      if (taskId !== null) noteItem(taskId, event.item.state === 'open')
    } else for (const taskId of tasksWithItem) dueTasks.add(taskId)
  }
  return {
    noteItem,
    get cursor() {
      return cursor
    },
    get isBehind() {
      return cursor < events.head
    },
    start(): void {
      cursor = events.head
    },
    async read(): Promise<void> {
      for (;;) {
        const page = await events.after(cursor, PAGE)
        const last = page.at(-1)
        if (!last) return
        cursor = last.seq
        for (const { frame } of page) {
          const event = parseRelevant(frame)
          if (event) apply(event)
        }
      }
    },
  }
}

/** The board task of an item; null when the item has none. */
function taskOf({ kind, runId, subjectId }: AttentionItem): string | null {
  return kind === 'task' && runId === null ? subjectId : null
}

/** Events that can change an item: items contain names, and depend on the members of the fleet. */
const RELEVANT: ReadonlySet<string> = new Set<LiveEvent['type']>([
  'task-changed',
  'attention-changed',
  'agent-upserted',
  'agent-archived',
  'agent-removed',
  'team-removed',
])

/** Parses relevant events and returns null for others without parsing them, because most events are not relevant. */
function parseRelevant(frame: Buffer): LiveEvent | null {
  const start = frame.indexOf('\ndata: ')
  const type = /\nevent: (.+)$/.exec(frame.toString('latin1', 0, start))?.[1]
  if (type === undefined || !RELEVANT.has(type)) return null
  return JSON.parse(frame.toString('utf8', start + 7)) as LiveEvent
}

/** Opens, rewords or expires the item of a task. Resolves to whether the task has an open item. */
async function updateItem({ record, now = Date.now }: BoardDependencies, taskId: string): Promise<boolean> {
  return record({ action: null }, async (tx) => {
    const [task] = await tx.tasks.lock([taskId])
    const open = await tx.attention.openTasks(taskId)
    const asked = task ? await askedFor(tx, task) : null
    const [current, ...duplicates] = asked ? open.filter(({ agentId }) => agentId === asked.agentId) : []
    const obsolete = [...open.filter((item) => item.agentId !== asked?.agentId || !asked), ...duplicates]
    const changed = await tx.attention.expire({ ids: obsolete.map(({ id }) => id) }, now())
    if (asked && !current) changed.push(await openItem(tx, taskId, asked, now()))
    else if (asked && current && !hasSameWording(current, asked.wording)) {
      const reworded = await tx.attention.reword(current.id, asked.wording)
      if (reworded) changed.push(reworded)
    }
    return { result: asked !== null, events: changed.map(attentionChanged) }
  })
}

function openItem(
  tx: Repositories,
  taskId: string,
  { agentId, wording }: AskedTask,
  at: number,
): Promise<AttentionItem> {
  return tx.attention.insert({
    ...wording,
    id: sortableId(at),
    kind: 'task',
    agentId,
    runId: null,
    subjectId: taskId,
    action: null,
    expiresAt: null,
    createdAt: at,
  })
}

/**
 * Ends the attempts of a task that someone else has moved, without moving it again. Releases the task when the person
 * who accepted it was removed.
 */
async function endAbandonedAttempts(board: BoardDependencies, taskId: string): Promise<void> {
  const { store, now = Date.now } = board
  const task = await store.tasks.get(taskId)
  if (!task || task.attempts === 0) return
  const isAbandoned = task.status === 'in_progress' ? (await askedFor(store, task)) === null : true
  if (!isAbandoned) return
  const abandoned = (await store.attempts.ofTasks([taskId])).filter(
    ({ owner, state }) => owner === PEOPLE && state === 'running',
  )
  const isDone = task.status === 'done' || task.status === 'in_review'
  const end = isDone
    ? ({ outcome: 'completed', reason: null } as const)
    : ({ outcome: 'released', reason: 'The person no longer works on it.', interrupted: true } as const)
  for (const { id: attemptId, number: attempt } of abandoned)
    await createReports(board).submit({ attemptId, attempt, ...end, costUsd: null, at: now() })
}
