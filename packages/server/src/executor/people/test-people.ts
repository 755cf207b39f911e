import type { BoardTask } from '@clawboo/core/board'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import { afterEach } from 'vitest'
import { createBoardLines } from '../../board/board-change.ts'
import { OPERATOR, type TestBoard, useBoards } from '../../board/test-board.ts'
import { openEventLog } from '../../live/event-log.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import type { TestEngine } from '../../store/test-stores.ts'
import { type Attention, createAttention } from '../attention/attention.ts'
import { createPersonTasks, type PersonTasks, type PersonTasksOptions } from './person-tasks.ts'

/** Two people in a board's team, and a server with their items. */
export interface TestPeople {
  readonly robin: { readonly kind: 'person'; readonly id: string }
  readonly kim: { readonly kind: 'person'; readonly id: string }
  readonly attention: Attention
  readonly people: PersonTasks
  /** Creates a task, for Robin by default, and waits for its item. */
  ask(task?: Parameters<TestBoard['make']>[0]): Promise<{ task: BoardTask; item: AttentionItem }>
  /** The open items of a task, after all changes were applied. */
  items(taskId: string): Promise<AttentionItem[]>
  answer(item: AttentionItem, answer: AttentionAnswer, text?: string): Promise<AttentionItem>
  close(): Promise<void>
}

/** Boards with people, each closed after its test. */
export function usePeople(createDatabase: TestEngine['createDatabase']) {
  const makeBoard = useBoards(createDatabase)
  const opened: TestPeople[] = []
  const open = async (board: TestBoard) => {
    const server = await openPeople(board)
    opened.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.close()
  })
  return {
    open,
    async begin() {
      const board = await makeBoard()
      return { board, server: await open(board) }
    },
    detail: (board: TestBoard, taskId: string) => board.view.task(taskId, OPERATOR),
  }
}

/** `wrap` can change the event log that the server reads. */
export async function openPeople(
  board: TestBoard,
  wrap: (events: PersonTasksOptions['events']) => PersonTasksOptions['events'] = (events) => events,
): Promise<TestPeople> {
  const { store, record, log } = board.records
  const person = async (name: string) => {
    const id = `${name}-of-${board.teamId}`
    if (!(await store.agents.get(id))) {
      const fields = { teamId: board.teamId, participantKind: 'human' as const, runtime: 'human', name }
      await store.agents.insert(newAgent(id, fields))
    }
    return { kind: 'person', id } as const
  }
  const [robin, kim] = [await person('Robin'), await person('Kim')]
  const events = await openEventLog(store)
  const attention = createAttention({ store, record, log, now: board.now })
  const lines = createBoardLines(log)
  const people = createPersonTasks({ store, record, lines, log, events: wrap(events), attention, now: board.now })
  await people.start()
  const items = async (taskId: string) => {
    await people.settled()
    return store.attention.openTasks(taskId)
  }
  return {
    robin,
    kim,
    attention,
    people,
    items,
    async ask(fields = {}) {
      const task = await board.tasks.create(
        { teamId: board.teamId, title: 'Water the ferns', body: 'All of them.', assignee: robin, ...fields },
        OPERATOR,
      )
      return { task, item: (await items(task.id))[0]! }
    },
    answer: (item, answer, text) => attention.answer(item.id, answer, 'operator', text),
    async close() {
      await people.close()
      attention.close()
      await events.close()
    },
  }
}
