import type { LiveEvent } from '@clawboo/api/live-event'
import type { BoardTask } from '@clawboo/core/board'
import { applyExchangeEvent, type BoardSignal, HOP_LIMIT, roomIdOf, type WakeCause } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { BoardLine } from '../store/repositories/board/board-lines-repository.ts'
import type { LineSignals } from './board-narration.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged } from './exchange-view.ts'
import { type KeptExchange, type OpenExchange, openOf, saveKept } from './kept-exchange.ts'
import { type RoomMembers, readMembers } from './participants.ts'
import { beginState, queueExchange } from './queue-exchange.ts'
import { afterSignal } from './still-owed.ts'

/**
 * What the board tells an exchange that is under way, in the transaction that takes the line: a signal comes once, on
 * whichever server, and in order. Where a team wants it, a report that finds none under way begins one.
 */
export function createBoardSignals(parts: DriverParts, poke: (teamId: string) => void): LineSignals {
  return {
    async prepare(teamId) {
      const room = await parts.store.rooms.get(roomIdOf(teamId))
      const members = room?.wakesLeader ? await readMembers(parts, teamId) : null
      return async (tx, lines) => {
        const events: LiveEvent[] = []
        for (const line of lines) events.push(...(await takeLine(tx, parts, members, line)))
        return events
      }
    },
    told: poke,
  }
}

async function takeLine(
  tx: Repositories,
  parts: DriverParts,
  /** null = reports wake nobody here. */
  members: RoomMembers | null,
  line: BoardLine,
): Promise<LiveEvent[]> {
  if (!ASSIGNS.includes(line.action) && !MOVES.includes(line.action)) return []
  const task = await tx.tasks.get(line.taskId)
  if (!task) return []
  const roomId = roomIdOf(task.teamId)
  const rows = await tx.exchanges.open(roomId)
  const running = rows.find(({ status }) => status === 'running')
  const open = running ? openOf(running) : null
  if (open) return joinSignal(tx, open, line, task, parts.now())
  const isWanted = rows.length === 0 && line.action === 'task.report'
  return isWanted && members ? wakeLeader(tx, members, task, parts.now()) : []
}

const ASSIGNS: readonly string[] = ['task.create', 'task.update', 'task.take']
const MOVES: readonly string[] = ['task.report', 'task.move', 'task.sign-off', 'task.override', 'task.claim']

/** What a task's state says; null = nothing that anybody has to answer. */
function signalOf(task: BoardTask): BoardSignal['signal'] | null {
  if (task.status === 'in_review' || task.status === 'done') return 'task_finished'
  if (task.status === 'blocked') return 'task_blocked'
  if (task.status === 'cancelled' || task.status === 'backlog') return null
  return task.assignee?.kind === 'agent' ? 'task_assigned' : null
}

async function joinSignal(
  tx: Repositories,
  open: OpenExchange,
  { action }: BoardLine,
  task: BoardTask,
  at: number,
): Promise<LiveEvent[]> {
  const { kept } = open
  const known = kept.tasks.find(({ taskId }) => taskId === task.id)
  const signal = signalOf(task)
  const told = signal === 'task_assigned' ? `${signal} ${task.assignee!.id}` : (signal ?? 'open')
  // Of a task that was there before, a change of its words must not look like a task that was just given to somebody.
  const isNews = signal === 'task_assigned' ? action === 'task.create' || known !== undefined : true
  if (known?.told === told || !isNews) return []
  const cause = await causeOf(tx, open, task, signal)
  const { chainId } = cause
  const hops = cause.kind === 'agent' ? Math.min(cause.hops + (signal === 'task_assigned' ? 1 : 0), HOP_LIMIT) : 0
  const entry = { taskId: task.id, agentId: assigneeOf(task) ?? '', chainId, hops, told }
  const tasks = [...kept.tasks.filter(({ taskId }) => taskId !== task.id), known ? { ...known, told } : entry]
  const next = signal === null ? kept : afterSignal(kept, applySignal(kept.exchange, task, signal, cause))
  const after: OpenExchange = { ...open, kept: { ...next, tasks } }
  await saveKept(tx, after, at)
  return next.exchange === kept.exchange ? [] : [exchangeChanged(after, await tx.rooms.get(open.row.roomId))]
}

function applySignal(
  exchange: KeptExchange['exchange'],
  task: BoardTask,
  signal: BoardSignal['signal'],
  cause: WakeCause,
) {
  const askedById = task.source.kind === 'agent' ? task.source.id : null
  const event = { type: 'board', signal, taskId: task.id, assigneeId: assigneeOf(task), askedById, cause } as const
  return applyExchangeEvent(exchange, event)
}

/** A task goes on in the chain in which it was handed on, also when that was in an earlier exchange. */
async function causeOf(
  tx: Repositories,
  { row, kept }: OpenExchange,
  task: BoardTask,
  signal: BoardSignal['signal'] | null,
): Promise<WakeCause> {
  const own = `task:${task.id}`
  const { source } = task
  if (signal === 'task_assigned') {
    if (source.kind !== 'agent') return { kind: 'person', chainId: own }
    const run = kept.runs.find(({ runId }) => runId === source.runId)
    return { kind: 'agent', agentId: source.id!, chainId: run?.chainId ?? own, hops: run?.hops ?? 0 }
  }
  const known = kept.tasks.find(({ taskId }) => taskId === task.id) ?? (await earlierCause(tx, row.roomId, task.id))
  const agentId = assigneeOf(task)
  if (!known || agentId === null) return { kind: 'host', chainId: known?.chainId ?? own }
  return { kind: 'agent', agentId, chainId: known.chainId, hops: known.hops }
}

const EARLIER = 20

async function earlierCause(tx: Repositories, roomId: string, taskId: string) {
  for (const row of await tx.exchanges.list(roomId, { limit: EARLIER })) {
    const found = openOf(row)?.kept.tasks.find((task) => task.taskId === taskId)
    if (found) return found
  }
  return null
}

/**
 * One exchange for reports that land together: whoever leads sees all of them. What an agent handed on and nobody knows
 * the hops of wakes nobody, so that reports and new tasks cannot go round for ever.
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
  const state = await beginState(tx, { teamId, participants }, 'board')
  if (applySignal(state, task, signal, cause).raised.length === 0) return []
  const askedById = source.kind === 'agent' ? source.id : null
  const event = { type: 'board', signal, taskId: task.id, assigneeId: agentId, askedById, cause } as const
  return [(await queueExchange(tx, { teamId, participants, stimulusSeq: null, event, at })).event]
}

function assigneeOf({ assignee }: BoardTask): string | null {
  return assignee?.kind === 'agent' ? assignee.id : null
}
