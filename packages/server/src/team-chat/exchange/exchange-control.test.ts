import { describe, expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories } from '../../store/open-store.ts'
import { createSqliteDatabase, testEngines } from '../../store/test-stores.ts'
import { makeRoomTeam, openRooms, speakingRuntime, until } from './test-exchanges.ts'

const OPERATOR = { kind: 'operator' } as const
const post = (body: string, ...to: string[]) => ({ callHostTool: 'team_chat_post', with: { body, to } }) as const
const HELD = { callTool: 'held' } as const

describe('A person in a running exchange', () => {
  const records = useRecords(createSqliteDatabase)

  it('[TC113] a steering message reaches the active turn, which then answers it', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ count }) => (count === 0 ? [HELD, { say: 'Both answered.' }] : `Turn ${count}.`))
    const server = await openRooms(records()[0]!, { runtime })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(() => runtime.turns.length === 1)
    const steered = await server.exchanges.say(team.teamId, OPERATOR, { body: 'In French', mode: 'steer' })
    expect(steered).toMatchObject({ joined: true, exchange: { id: first.exchange.id } })
    expect(steered.exchange.pending).toMatchObject([{ agentId: team.id(0), because: 'message' }])
    runtime.release()
    expect(await server.exchanges.whenEnded(first.exchange.id)).toMatchObject({
      turns: 1,
      reason: 'no_pending_obligation',
      pending: [],
    })
    expect(await team.agentPosts()).toEqual(['0: Both answered.'])
    const run = (await records()[0]!.store.runs.entries([runtime.turns[0]!.options.runId])).values().next().value!
    const delivered = run.filter((entry) => entry.type === 'status' && entry.state === 'prompt-delivered')
    expect(delivered.at(-1)).toMatchObject({ promptId: steered.post.id, detail: expect.stringContaining('In French') })
  })

  it('[TC113] when the runtime cannot take messages, the next speaker gets the message', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const plain = {
      streaming: true,
      resume: true,
      mcp: true,
      asksBeforeModelCall: true,
      runtimeClass: 'native',
    } as const
    const runtime = speakingRuntime(({ count }) => (count === 0 ? [HELD, { say: 'First.' }] : `Turn ${count}.`), plain)
    const server = await openRooms(records()[0]!, { runtime })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(() => runtime.turns.length === 1)
    await server.exchanges.say(team.teamId, OPERATOR, { body: 'In French', mode: 'steer' })
    runtime.release()
    expect(await server.exchanges.whenEnded(first.exchange.id)).toMatchObject({ turns: 2 })
    expect(runtime.turns[1]!.prompt).toContain('```\nIn French\n```')
    expect(runtime.turns[1]!.prompt).toContain('```\nOne\n```')
    expect(await team.agentPosts()).toEqual(['0: First.', '0: Turn 1.'])
  })

  it('[TC113] a message that joined an exchange and got no turn before the bound starts its own exchange', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === team.id(0) && count === 0 ? [HELD, { say: 'The only turn.' }] : `I was asked too ${count}.`,
    )
    const server = await openRooms(records()[0]!, { runtime })
    await server.exchanges.configure(team.teamId, { turnCap: 1 })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(() => runtime.turns.length === 1)
    const steered = await server.exchanges.say(team.teamId, OPERATOR, { body: 'You!', to: [team.id(1)], mode: 'steer' })
    expect(steered.joined).toBe(true)
    runtime.release()
    expect(await server.exchanges.whenEnded(first.exchange.id)).toMatchObject({ turns: 1, reason: 'max_turns' })
    await until(async () => (await server.exchanges.open(team.teamId)).length === 0)
    expect(await team.agentPosts()).toEqual(['0: The only turn.', '1: I was asked too 0.'])
    expect(runtime.turns.at(-1)!.prompt).toContain('```\nYou!\n```')
  })

  it('[TC113] a steering message without a running exchange starts one', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const server = await openRooms(records()[0]!, { runtime: speakingRuntime(() => 'Here.') })
    expect(await team.ask(server, 'Hi', { mode: 'steer' })).toMatchObject({ joined: false, turns: 1 })
  })

  it('[TC112] when twenty exchanges are waiting, another message is refused and not posted', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const runtime = speakingRuntime(() => [{ hang: true }])
    const { exchanges } = await openRooms(records()[0]!, { runtime })
    for (let n = 0; n <= 20; n++) await exchanges.say(team.teamId, OPERATOR, { body: `Message ${n}` })
    await expect(exchanges.say(team.teamId, OPERATOR, { body: 'One more' })).rejects.toMatchObject({
      code: 'queue_full',
    })
    expect((await team.posts()).length).toBe(21)
    for (const { id } of (await exchanges.open(team.teamId)).toReversed())
      await exchanges.stop(team.teamId, { exchangeId: id })
  })

  it('[TC114] a person stops an exchange: its turn ends, no other turn follows, and the stop is audited', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(() => [post('Asked.', team.id(1)), { hang: true }])
    const server = await openRooms(records()[0]!, { runtime })
    const { exchange } = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(async () => (await team.agentPosts()).length === 1)
    await server.exchanges.stop(team.teamId, {})
    expect(await server.exchanges.whenEnded(exchange.id)).toMatchObject({ reason: 'aborted', status: 'ended' })
    expect(runtime.turns.length).toBe(1)
    const [run] = await records()[0]!.store.runs.list({ agentId: team.id(0), limit: 1 })
    expect(run).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_person' })
    const audit = (await records()[0]!.audit()).filter(
      ({ action, subject }) => action === 'team-chat.stop' && subject === team.teamId,
    )
    expect(audit).toMatchObject([{ detail: { exchangeId: exchange.id, chainId: null } }])
    await expect(server.exchanges.stop(team.teamId, {})).rejects.toMatchObject({ code: 'exchange_not_found' })
    await expect(server.exchanges.stop(team.teamId, { exchangeId: exchange.id })).rejects.toMatchObject({
      code: 'exchange_not_found',
    })
  })

  it('[TC114] a waiting exchange that is stopped ends at once, and the running one continues', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(() => [HELD, { say: 'Done.' }])
    const server = await openRooms(records()[0]!, { runtime })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(() => runtime.turns.length === 1)
    const second = await server.exchanges.say(team.teamId, OPERATOR, { body: 'Two' })
    expect(await server.exchanges.stop(team.teamId, { exchangeId: second.exchange.id })).toMatchObject({
      status: 'ended',
      reason: 'aborted',
    })
    runtime.release()
    expect(await server.exchanges.whenEnded(first.exchange.id)).toMatchObject({ reason: 'no_pending_obligation' })
    expect(runtime.turns.length).toBe(1)
  })

  it('[TC115] a person stops one chain: its turn ends and wakes no agent, and the other chain continues', async () => {
    const team = await makeRoomTeam(records()[0]!, 3)
    const runtime = speakingRuntime(({ agentId }) =>
      agentId === team.id(1) ? [post('You next.', team.id(0)), { hang: true }] : `Said by ${agentId}.`,
    )
    const server = await openRooms(records()[0]!, { runtime })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One', to: [team.id(1)] })
    await until(async () => (await team.agentPosts()).length === 1)
    const second = await server.exchanges.say(team.teamId, OPERATOR, { body: 'Two', to: [team.id(2)], mode: 'steer' })
    await server.exchanges.stop(team.teamId, { chainId: first.post.id })
    const ended = await server.exchanges.whenEnded(first.exchange.id)
    expect(ended.chains).toMatchObject([
      { id: first.post.id, ended: 'stopped' },
      { id: second.post.id, ended: null },
    ])
    expect(await team.agentPosts()).toEqual(['1: You next.', `2: Said by ${team.id(2)}.`, `0: Said by ${team.id(0)}.`])
    await expect(server.exchanges.stop(team.teamId, { chainId: 'none' })).rejects.toMatchObject({
      code: 'exchange_not_found',
    })
  })

  it('[TC122] a preview lists who would run and why, with the bound, and changes nothing', async () => {
    const team = await makeRoomTeam(records()[0]!, 3)
    const runtime = speakingRuntime(({ count }) => `Turn ${count}.`)
    const server = await openRooms(records()[0]!, { runtime })
    expect(await server.exchanges.preview(team.teamId, {})).toEqual({
      joins: false,
      wakes: [{ agentId: team.id(0), because: 'leader', estimatedUsd: null }],
      dropped: [],
      turnsAtMost: 5,
      estimatedUsd: null,
      mostUsd: null,
    })
    const picked = await server.exchanges.preview(team.teamId, { to: ['Boo 2'], skip: [team.id(0)] })
    expect(picked).toMatchObject({ wakes: [{ agentId: team.id(2), because: 'mention' }], turnsAtMost: 4 })
    await expect(server.exchanges.preview(team.teamId, { to: ['Nobody'] })).rejects.toMatchObject({
      code: 'agent_not_found',
    })
    expect([runtime.turns.length, await team.posts()]).toEqual([0, []])
    const asked = await team.ask(server, 'Go', { to: ['Boo 2'], skip: [team.id(0)] })
    expect(asked.turns).toBe(picked.wakes.length)
  })
})

describe.each(testEngines())('A stop during a start, on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)

  it('[TC114] an exchange that is stopped while it starts has ended, without a turn', async () => {
    const { store, record } = records()[0]!
    const team = await makeRoomTeam(records()[0]!)
    const seen = Promise.withResolvers<void>()
    /** Starts the driver after the stop has read the waiting exchange and before it writes. */
    const takeLease: typeof store.rooms.takeLease = async (lease) => {
      await seen.promise
      return store.rooms.takeLease(lease)
    }
    const slowly = (tx: Repositories): Repositories => ({
      ...tx,
      exchanges: {
        ...tx.exchanges,
        async open(roomId) {
          const rows = await tx.exchanges.open(roomId)
          seen.resolve()
          await new Promise((resolve) => setTimeout(resolve, 300))
          return rows
        },
      },
    })
    const recordSlowly: RecordChange = (change, work) =>
      record(change, (tx) => work(change.action === 'team-chat.stop' ? slowly(tx) : tx))
    const runtime = speakingRuntime(() => [HELD])
    const server = await openRooms(records()[0]!, {
      runtime,
      record: recordSlowly,
      store: { ...store, rooms: { ...store.rooms, takeLease } },
    })
    const { exchange } = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await server.exchanges.stop(team.teamId, { exchangeId: exchange.id })
    expect(await server.exchanges.whenEnded(exchange.id)).toMatchObject({ status: 'ended', reason: 'aborted' })
    expect(runtime.turns).toEqual([])
  })
})
