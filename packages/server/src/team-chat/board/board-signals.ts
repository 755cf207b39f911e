import type { LiveEvent } from '@clawboo/api/live-event'
import type { BoardTask } from '@clawboo/core/board'
import { applyExchangeEvent, type BoardSignal, HOP_LIMIT, roomIdOf, type WakeCause } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { BoardLine } from '../../store/repositories/board/board-lines-repository.ts'
import {
  applySignalChange,
  exchangeChanged,
  initialState,
  type OpenExchange,
  parseExchange,
  queueExchange,
  saveExchange,
} from '../exchange/exchange-record.ts'
import type { ExchangeServices } from '../exchange/exchange-services.ts'
import { type RoomMembers, readMembers } from '../posts/room-members.ts'
import type { LineSignals } from './board-narration.ts'

/**
 * Turns board lines into signals for the running exchange, in the transaction that takes the line: each signal is
 * applied once and in order, on any server. If the team has chosen it, a report without a running exchange starts one.
 * `drive` is called after lines of a team were posted.
 */
export function createBoardSignals(services: ExchangeServices, drive: (teamId: string) => void): LineSignals {
  return {
    async prepare(teamId) {
      const room = await services.store.rooms.get(roomIdOf(teamId))
      const members = room?.wakesLeader ? await readMembers(services, teamId) : null
      return async (tx, lines) => {
        const events: LiveEvent[] = []
        for (const line of lines) events.push(...(await applyLine(tx, line, members, services.now())))
        return events
      }
    },
    afterLines: drive,
  }
}

const ASSIGNS: readonly string[] = ['task.create', 'task.update', 'task.take']
const MOVES: readonly string[] = ['task.report', 'task.move', 'task.sign-off', 'task.override', 'task.claim']

async function applyLine(
  tx: Repositories,
  line: BoardLine,
  /** null = a report starts no exchange in this room. */
  members: RoomMembers | null,
  at: number,
): Promise<LiveEvent[]> {
  if (!ASSIGNS.includes(line.action) && !MOVES.includes(line.action)) return []
  const task = await tx.tasks.get(line.taskId)
  if (!task) return []
  const rows = await tx.exchanges.open(roomIdOf(task.teamId))
  const running = rows.find(({ status }) => status === 'running')
  const open = running ? parseExchange(running) : null
  if (open) return applyToExchange(tx, open, line, task, at)
  const mayWake = rows.length === 0 && line.action === 'task.report'
  return mayWake && members ? wakeLeader(tx, members, task, at) : []
}

/** Returns the signal of a task's status; null = no agent has to answer it. */
function signalOf(task: BoardTask): BoardSignal['signal'] | null {
  if (task.status === 'in_review' || task.status === 'done') return 'task_finished'
  if (task.status === 'blocked') return 'task_blocked'
  if (task.status === 'cancelled' || task.status === 'backlog') return null
  return task.assignee?.kind === 'agent' ? 'task_assigned' : null
}

async function applyToExchange(
  tx: Repositories,
  open: OpenExchange,
  { action }: BoardLine,
  task: BoardTask,
  at: number,
): Promise<LiveEvent[]> {
  const { stored } = open
  const known = stored.tasks.find(({ taskId }) => taskId === task.id)
  const signal = signalOf(task)
  const lastSignal = signal === 'task_assigned' ? `${signal} ${task.assignee!.id}` : (signal ?? 'open')
  // An edit of a task from before the exchange must not look like a new assignment.
  const isNew = signal === 'task_assigned' ? action === 'task.create' || known !== undefined : true
  if (known?.told === lastSignal || !isNew) return []
  const cause = await causeOf(tx, open, task, signal)
  const { chainId } = cause
  const hops = cause.kind === 'agent' ? Math.min(cause.hops + (signal === 'task_assigned' ? 1 : 0), HOP_LIMIT) : 0
  const entry = known ?? { taskId: task.id, agentId: assigneeOf(task) ?? '', chainId, hops }
  const tasks = [...stored.tasks.filter(({ taskId }) => taskId !== task.id), { ...entry, told: lastSignal }]
  const changed =
    signal === null
      ? stored
      : applySignalChange(stored, applyExchangeEvent(stored.exchange, boardEvent(task, signal, cause)))
  const after: OpenExchange = { ...open, stored: { ...changed, tasks } }
  await saveExchange(tx, after, at)
  return changed.exchange === stored.exchange ? [] : [exchangeChanged(after, await tx.rooms.get(open.row.roomId))]
}

function boardEvent(task: BoardTask, signal: BoardSignal['signal'], cause: WakeCause): BoardSignal {
  return {
    type: 'board',
    signal,
    taskId: task.id,
    assigneeId: assigneeOf(task),
    askedById: task.source.kind === 'agent' ? task.source.id : null,
    cause,
  }
}

/** A task continues the chain in which it was delegated, even if that was in an earlier exchange. */
async function causeOf(
  tx: Repositories,
  { row, stored }: OpenExchange,
  task: BoardTask,
  signal: BoardSignal['signal'] | null,
): Promise<WakeCause> {
  const ownChain = `task:${task.id}`
  const { source } = task
  if (signal === 'task_assigned') {
    if (source.kind !== 'agent') return { kind: 'person', chainId: ownChain }
    const run = stored.runs.find(({ runId }) => runId === source.runId)
    return { kind: 'agent', agentId: source.id!, chainId: run?.chainId ?? ownChain, hops: run?.hops ?? 0 }
  }
  const known = stored.tasks.find(({ taskId }) => taskId === task.id) ?? (await earlierCause(tx, row.roomId, task.id))
  const agentId = assigneeOf(task)
  if (!known || agentId === null) return { kind: 'host', chainId: known?.chainId ?? ownChain }
  return { kind: 'agent', agentId, chainId: known.chainId, hops: known.hops }
}

const EARLIER_EXCHANGES = 20

async function earlierCause(tx: Repositories, roomId: string, taskId: string) {
  for (const row of await tx.exchanges.list(roomId, { limit: EARLIER_EXCHANGES })) {
    const found = parseExchange(row)?.stored.tasks.find((task) => task.taskId === taskId)
    if (found) return found
  }
  return null
}

/**
 * Queues one exchange for all reports that arrive together. A task that an agent delegated and whose hops are unknown
 * wakes no agent: otherwise reports and new tasks could continue forever.
 */
async function wakeLeader(
  tx: Repositories,
  { participants }: RoomMembers,
  task: BoardTask,
  at: number,
): Promise<LiveEvent[]> {
  const signal = signalOf(task)
  if (signal !== 'task_finished' && signal !== 'task_blocked') return []
  const { teamId, source } = task
  const known = await earlierCause(tx, roomIdOf(teamId), task.id)
  const agentId = assigneeOf(task)
  const chainId = known?.chainId ?? `task:${task.id}`
  const hops = known?.hops ?? (source.kind === 'agent' ? HOP_LIMIT : 0)
  const cause: WakeCause = agentId === null ? { kind: 'host', chainId } : { kind: 'agent', agentId, chainId, hops }
  const event = boardEvent(task, signal, cause)
  const state = await initialState(tx, { teamId, participants }, 'board')
  if (applyExchangeEvent(state, event).raised.length === 0) return []
  return [(await queueExchange(tx, { teamId, participants, stimulusSeq: null, event, at })).event]
}

function assigneeOf({ assignee }: BoardTask): string | null {
  return assignee?.kind === 'agent' ? assignee.id : null
}
