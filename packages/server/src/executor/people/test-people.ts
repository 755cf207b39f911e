import type { BoardTask } from '@clawboo/core/board'
import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'
import { afterEach } from 'vitest'
import { createBoardLines } from '../../board/board-lines.ts'
import { OPERATOR, type TestBoard, useBoards } from '../../board/test-board.ts'
import { openEventLog } from '../../live/event-log.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import type { TestEngine } from '../../store/test-stores.ts'
import { type Attention, createAttention } from '../attention/attention.ts'
import { createPersonTasks, type PersonTasks, type PersonTasksDependencies } from './person-tasks.ts'

/** Two people in a board's team, and a server that asks them. */
export interface TestPeople {
  readonly robin: { readonly kind: 'person'; readonly id: string }
  readonly kim: { readonly kind: 'person'; readonly id: string }
  readonly attention: Attention
  readonly people: PersonTasks
  /** A task of Robin's, once it was looked at. */
  ask(task?: Parameters<TestBoard['make']>[0]): Promise<{ task: BoardTask; item: AttentionItem }>
  /** The open items of a task, once all is looked at. */
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

/** `heard` is what is heard of the event log. */
export async function openPeople(
  board: TestBoard,
  heard: (events: PersonTasksDependencies['events']) => PersonTasksDependencies['events'] = (events) => events,
): Promise<TestPeople> {
  const { store, record, log } = board.records
  const person = async (name: string) => {
    const id = `${name}-of-${board.teamId}`
    if (!(await store.agents.get(id))) {
      const more = { teamId: board.teamId, participantKind: 'human' as const, runtime: 'human' }
      await store.agents.insert(newAgent(id, { ...more, name }))
    }
    return { kind: 'person', id } as const
  }
  const [robin, kim] = [await person('Robin'), await person('Kim')]
  const events = await openEventLog(store)
  const attention = createAttention({ store, record, log, now: board.now })
  const lines = createBoardLines(log)
  const people = createPersonTasks({ store, record, lines, log, events: heard(events), attention, now: board.now })
  await people.start()
  const items = async (taskId: string) => {
    await people.settled()
    return store.attention.openTasks(taskId)
  }
  return {
    ...{ robin, kim, attention, people, items },
    async ask(wanted = {}) {
      const task = await board.tasks.create(
        { teamId: board.teamId, title: 'Water the ferns', body: 'All of them.', assignee: robin, ...wanted },
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
