import { expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { makeRoomTeam, openRooms, speakingRuntime, until } from './test-exchanges.ts'

const records = useRecords(createSqliteDatabase)

it('[TC131] a post that addresses the current speaker in its own chain is still owed when the turn has ended', async () => {
  const team = await makeRoomTeam(records()[0]!)
  const ask = { callHostTool: 'team_chat_post', with: { body: 'What do you think?', to: [team.id(0)] } } as const
  const runtime = speakingRuntime(({ agentId, count }) =>
    agentId === team.id(1) ? [ask, { say: 'NO_REPLY' }] : [{ callTool: 'held' }, { say: `Thought ${count}.` }],
  )
  const server = await openRooms(records()[0]!, { runtime })
  const message = { body: 'Ask around', to: [team.id(1)] }
  const { exchange } = await server.exchanges.say(team.teamId, { kind: 'operator' }, message)
  await until(() => runtime.turns.length === 2)
  const { runId } = runtime.turns[0]!.options
  const by = { teamId: team.teamId, agentId: team.id(1), runId, taskId: null, credential: 'attached' }
  await server.posts.byRun(by, { body: 'And of this?', to: [team.id(0)] })
  runtime.release()
  const { turns, reason } = await server.exchanges.whenEnded(exchange.id)
  expect({ turns, reason }).toEqual({ turns: 3, reason: 'no_pending_obligation' })
  expect(runtime.turns[2]!.prompt).toContain('And of this?')
})
