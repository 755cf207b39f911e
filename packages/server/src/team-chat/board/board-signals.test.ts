import { describe, expect, it } from 'vitest'
import { createClaims } from '../../board/claims.ts'
import { createReports } from '../../board/reports.ts'
import { useRecords } from '../../executor/test-records.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import {
  makeRoomTeam,
  openRooms,
  type RoomServer,
  type RoomTeam,
  speakingRuntime,
  until,
} from '../exchange/test-exchanges.ts'

const OPERATOR = { kind: 'operator' } as const
const HELD = { callTool: 'held' } as const

describe('The board’s signals to an exchange', () => {
  const records = useRecords(createSqliteDatabase)

  /** Claims a task and reports on it, like the dispatcher. */
  const finish = async (server: RoomServer, taskId: string, agentId: string, outcome: 'completed' | 'blocked') => {
    const { store, record } = records()[0]!
    const board = { store, record, lines: server.lines }
    const claims = createClaims({ ...board, instance: 'me' })
    const by = { kind: 'agent', id: agentId } as const
    const claimed = await claims.claim({ taskId, expects: by, by, runtime: 'memory' })
    if (!claimed.claimed) throw new Error('not claimed')
    const { id: attemptId, number: attempt } = claimed.attempt
    const reason = outcome === 'blocked' ? 'No key.' : null
    await createReports(board).submit({ attemptId, attempt, outcome, reason, costUsd: null, at: Date.now() })
    await server.narration.settled()
  }
  const assign = (server: RoomServer, team: RoomTeam, at: number) =>
    server.tasks.create({ teamId: team.teamId, title: 'Draft', assignee: { kind: 'agent', id: team.id(at) } }, OPERATOR)
  const create = (title: string, assignee: string) =>
    ({ callHostTool: 'create_task', with: { title, assignee } }) as const

  it('[TC119] a task that a turn delegates wakes its assignee, in the chain of the turn with one more hop', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === team.id(0) && count === 0
        ? [create('Draft it', team.id(1)), { say: 'Handed on.' }]
        : `Turn of ${agentId} ${count}.`,
    )
    const server = await openRooms(records()[0]!, { runtime })
    const { post } = await team.ask(server, 'Do it')
    const posts = (await team.posts()).filter(({ kind }) => kind === 'peer')
    expect(await team.agentPosts()).toEqual([
      '0: Handed on.',
      `1: Turn of ${team.id(1)} 0.`,
      `0: Turn of ${team.id(0)} 1.`,
    ])
    expect(posts.map(({ chainId, hops }) => [chainId, hops])).toEqual([0, 1, 1].map((hops) => [post.id, hops]))
    expect(runtime.turns[1]!.prompt).toContain('a task was assigned to you')
  })

  it.each(['completed', 'blocked'] as const)(
    '[TC119] a task that is %s during an exchange wakes the leader once, and a comment wakes no agent',
    async (outcome) => {
      const team = await makeRoomTeam(records()[0]!, 3)
      const runtime = speakingRuntime(({ agentId, count }) =>
        agentId === team.id(2) ? [HELD, { say: 'I have looked.' }] : `Turn of ${agentId} ${count}.`,
      )
      const server = await openRooms(records()[0]!, { runtime })
      const task = await assign(server, team, 1)
      await server.narration.settled()
      const { exchange } = await server.exchanges.say(team.teamId, OPERATOR, { body: 'Look', to: [team.id(2)] })
      await until(() => runtime.turns.length === 1)
      await finish(server, task.id, team.id(1), outcome)
      const because = outcome === 'blocked' ? 'task_blocked' : 'task_finished'
      expect((await server.exchanges.get(exchange.id)).pending).toMatchObject([
        { agentId: team.id(2) },
        { agentId: team.id(0), because },
      ])
      await server.tasks.comment(task.id, { body: 'Hm' }, OPERATOR)
      await server.narration.settled()
      expect((await server.exchanges.get(exchange.id)).pending.length).toBe(2)
      runtime.release()
      expect(await server.exchanges.whenEnded(exchange.id)).toMatchObject({ turns: 2, reason: 'no_pending_obligation' })
    },
  )

  it('[TC131] a report that arrives while the asker answers another report of the same chain still gets a turn', async () => {
    const team = await makeRoomTeam(records()[0]!, 3)
    const runtime = speakingRuntime(({ agentId, prompt, count }) => {
      if (agentId !== team.id(0)) return 'NO_REPLY'
      if (prompt.includes('the work on a task has ended')) return [HELD, { say: `Seen ${count}.` }]
      return count === 0 ? [create('One', team.id(1)), create('Two', team.id(2)), { say: 'Handed on.' }] : 'NO_REPLY'
    })
    const server = await openRooms(records()[0]!, { runtime })
    await server.exchanges.configure(team.teamId, { wakesLeader: true })
    await team.ask(server, 'Do it')
    const [one, two] = await records()[0]!.store.tasks.toDo({ teamId: team.teamId, limit: 2 })
    const before = runtime.turns.length
    await finish(server, one!.id, team.id(1), 'completed')
    await until(() => runtime.turns.length === before + 1)
    const [exchange] = await server.exchanges.open(team.teamId)
    await finish(server, two!.id, team.id(2), 'completed')
    runtime.release()
    expect(await server.exchanges.whenEnded(exchange!.id)).toMatchObject({ turns: 2, reason: 'no_pending_obligation' })
    expect((await team.agentPosts()).map((words) => words.slice(0, 7))).toEqual(['0: Hand', '0: Seen', '0: Seen'])
  })

  it('[TC120] a report without a running exchange wakes no agent, unless the team has chosen that', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ count }) => `I have seen it ${count}.`)
    const server = await openRooms(records()[0]!, { runtime })
    const quiet = await assign(server, team, 1)
    await finish(server, quiet.id, team.id(1), 'completed')
    expect((await server.exchanges.open(team.teamId)).length + runtime.turns.length).toBe(0)
    await server.exchanges.configure(team.teamId, { wakesLeader: true })
    const heard = await assign(server, team, 1)
    await finish(server, heard.id, team.id(1), 'completed')
    await until(async () => (await team.agentPosts()).length === 1)
    await until(async () => (await server.exchanges.open(team.teamId)).length === 0)
    expect(await team.agentPosts()).toEqual(['0: I have seen it 0.'])
    const [exchange] = await records()[0]!.store.exchanges.list(team.roomId, { limit: 9 })
    expect(exchange).toMatchObject({ stimulusSeq: null, status: 'ended', reason: 'no_pending_obligation' })
  })

  it('[TC121] a leader that answers each report with a new task stops at the hop limit, because hops count across exchanges', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === team.id(0) ? [create(`Again ${count}`, team.id(1)), { say: `More ${count}.` }] : 'NO_REPLY',
    )
    const server = await openRooms(records()[0]!, { runtime })
    await server.exchanges.configure(team.teamId, { wakesLeader: true })
    await team.ask(server, 'Begin')
    const { store } = records()[0]!
    let rounds = 0
    for (; rounds < 12; rounds++) {
      await until(async () => (await server.exchanges.open(team.teamId)).length === 0)
      const [task] = await store.tasks.toDo({ teamId: team.teamId, limit: 1 })
      if (!task) break
      await finish(server, task.id, team.id(1), 'completed')
    }
    expect(rounds).toBeLessThan(12)
    expect(runtime.turns.filter(({ agentId }) => agentId === team.id(0)).length).toBeLessThanOrEqual(8)
  })
})
