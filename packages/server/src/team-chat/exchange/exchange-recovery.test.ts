import { ClawbooError } from '@clawboo/core'
import { endsRun } from '@clawboo/core/executor'
import { describe, expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import { sql } from '../../store/sql.ts'
import { testEngines } from '../../store/test-stores.ts'
import {
  makeRoomTeam,
  openRooms,
  type RoomTeam,
  type SpeakingRuntime,
  speakingRuntime,
  until,
} from './test-exchanges.ts'

const OPERATOR = { kind: 'operator' } as const
const post = (body: string, ...to: string[]) => ({ callHostTool: 'team_chat_post', with: { body, to } }) as const
const HELD = { callTool: 'held' } as const

describe.each(testEngines())('An exchange across servers, on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase, 2)
  const store = () => records()[0]!.store

  /** The records of a server that can be killed: after `die`, nothing it writes reaches the database. */
  const mortalRecords = () => {
    const { record: liveRecord, ...rest } = records()[0]!
    let isDead = false
    const never = new Promise<never>(() => {})
    const record: typeof liveRecord = (change, work) => (isDead ? never : liveRecord(change, work))
    const die = () => {
      isDead = true
    }
    return { ...rest, record, die }
  }
  const cursorOf = async (team: RoomTeam, at: number) =>
    (await store().roomMembers.get(team.roomId, team.id(at)))?.cursorSeq ?? 0
  const evidence = ({ turns }: SpeakingRuntime) =>
    turns.map(({ prompt }) => [...prompt.matchAll(/seq=(\d+)/g)].map(([, seq]) => Number(seq)))

  it('[TC118] an interrupted turn is still owed and counts once; its posts stay', async () => {
    const team = await makeRoomTeam(records()[0]!, 2)
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === team.id(1) && count === 0 ? [post('Look.', team.id(0)), HELD] : `${agentId}: ${count}.`,
    )
    const first = await openRooms(records()[0]!, { runtime })
    const { exchange } = await first.exchanges.say(team.teamId, OPERATOR, { body: 'Go', to: [team.id(1)] })
    await until(async () => (await team.agentPosts()).length === 1)
    await first.close()
    expect(await store().exchanges.get(exchange.id)).toMatchObject({ status: 'running' })
    const second = await openRooms(records()[0]!, { runtime })
    expect(await second.exchanges.whenEnded(exchange.id)).toMatchObject({ turns: 3, reason: 'no_pending_obligation' })
    expect(await team.agentPosts()).toEqual([
      '1: Look.',
      ...[`0: ${team.id(0)}: 0.`, `1: ${team.id(1)}: 1.`, `0: ${team.id(0)}: 1.`],
    ])
  })

  it('[TC118] the last text of a run that ended before its server died is posted once', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const mortal = mortalRecords()
    const runtime = speakingRuntime(() => 'My last words.')
    const onStep = (step: string) => step === 'end-run' && mortal.die()
    const doomed = await openRooms(mortal, { runtime, onStep, isDoomed: true })
    const { exchange } = await doomed.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
    await until(async () => {
      const [run] = await store().runs.list({ agentId: team.id(0), limit: 1 })
      return (
        run !== undefined && (await store().runs.entries([run.id])).get(run.id)!.some(({ type }) => type === 'done')
      )
    })
    expect(await team.agentPosts()).toEqual([])
    const next = await openRooms(records()[1]!, { runtime })
    expect(await next.exchanges.whenEnded(exchange.id)).toMatchObject({ turns: 1, reason: 'no_pending_obligation' })
    expect(await team.agentPosts()).toEqual(['0: My last words.'])
    expect(runtime.turns.length).toBe(1)
    expect(await cursorOf(team, 0)).toBe(1)
  })

  it('[TC107] posts that an interrupted turn received are not sent again, and those that it did not receive are', async () => {
    for (const step of ['start', 'end-run'] as const) {
      const team = await makeRoomTeam(records()[0]!, 2)
      const posts = await openRooms(records()[1]!, { runtime: speakingRuntime(() => 'x'), instance: `quiet-${step}` })
      await posts.posts.byPerson(OPERATOR, team.teamId, { body: 'Before.' })
      const mortal = mortalRecords()
      const runtime = speakingRuntime(({ count }) => (count === 0 ? [{ hang: true }] : `Turn ${count}.`))
      const onStep = (at: string) => at === step && mortal.die()
      const doomed = await openRooms(mortal, { runtime, onStep, isDoomed: true })
      const { exchange } = await doomed.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
      await until(() => runtime.turns.length === 1)
      const agent = (await store().agents.get(team.id(0)))!
      const sessionKey = `agent:${agent.id}:room:${team.roomId}`
      const promptId = runtime.turns[0]!.options.runId
      await until(() => runtime.adapter.hasPrompt!(agent, sessionKey, promptId))
      if (step === 'end-run') {
        await until(async () => (await cursorOf(team, 0)) === 2)
        mortal.die()
      }
      const next = await openRooms(records()[0]!, { runtime })
      await next.exchanges.whenEnded(exchange.id)
      expect(runtime.turns.length).toBe(2)
      expect(evidence(runtime)).toEqual([[1], []])
      expect(await cursorOf(team, 0)).toBe(2)
      await posts.close()
    }
  })

  it('[TC107] an agent whose runtime keeps no record gets the posts of an interrupted turn again', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const mortal = mortalRecords()
    const plain = { runtimeClass: 'wrapped-oneshot' } as const
    const runtime = speakingRuntime(({ count }) => (count === 0 ? [{ hang: true }] : `Turn ${count}.`), plain)
    const doomed = await openRooms(mortal, { runtime, isDoomed: true })
    await doomed.posts.byPerson(OPERATOR, team.teamId, { body: 'Before.' })
    const { exchange } = await doomed.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
    await until(() => runtime.turns.length === 1)
    mortal.die()
    const next = await openRooms(records()[1]!, { runtime })
    await next.exchanges.whenEnded(exchange.id)
    expect(evidence(runtime)).toEqual([[1], [1]])
    expect(await cursorOf(team, 0)).toBe(2)
  })

  it('[TC107] a runtime that is unavailable after a crash does not block the room: its agent gets the posts again, and the exchange ends', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const mortal = mortalRecords()
    const runtime = speakingRuntime(({ count }) => (count === 0 ? [{ hang: true }] : `Turn ${count}.`))
    const doomed = await openRooms(mortal, { runtime, isDoomed: true })
    await doomed.posts.byPerson(OPERATOR, team.teamId, { body: 'Before.' })
    const { exchange } = await doomed.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
    await until(() => runtime.turns.length === 1)
    mortal.die()
    const away = async () => Promise.reject(new ClawbooError('upstream_disconnected', 'away'))
    const unreachable = { ...runtime, adapter: { ...runtime.adapter, hasPrompt: away } }
    const next = await openRooms(records()[1]!, { runtime: unreachable })
    await next.exchanges.whenEnded(exchange.id)
    expect(await team.agentPosts()).toEqual(['0: Turn 1.'])
  })

  it('[TC107] a turn that never started does not move the cursor', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const runtime = speakingRuntime(({ count }) => {
      if (count === 0) throw new Error('no memory left')
      return 'Now.'
    })
    const server = await openRooms(records()[0]!, { runtime })
    await server.posts.byPerson(OPERATOR, team.teamId, { body: 'Before.' })
    expect(await team.ask(server, 'Go')).toMatchObject({ turns: 1 })
    expect(await cursorOf(team, 0)).toBe(0)
    await team.ask(server, 'Again')
    expect(evidence(runtime)).toEqual([[1], [1, 2, 3]])
    expect(await cursorOf(team, 0)).toBe(4)
  })

  it('[TC118] a turn that was interrupted three times is given up, and the reason is posted', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const runtime = speakingRuntime(({ count }) => (count < 3 ? [{ hang: true }] : 'Too late.'))
    let exchangeId = ''
    for (let times = 1; times <= 3; times++) {
      const mortal = mortalRecords()
      const { exchanges } = await openRooms(mortal, { runtime, isDoomed: true })
      if (times === 1) exchangeId = (await exchanges.say(team.teamId, OPERATOR, { body: 'Go' })).exchange.id
      await until(() => runtime.turns.length === times)
      mortal.die()
    }
    const last = await openRooms(records()[1]!, { runtime })
    expect(await last.exchanges.whenEnded(exchangeId)).toMatchObject({ turns: 1, reason: 'no_pending_obligation' })
    expect((await team.posts()).at(-1)).toMatchObject({ kind: 'system', body: expect.stringContaining('3 times') })
    expect(runtime.turns.length).toBe(3)
  })

  it('[TC117] two servers never have turns in one room at once, and one server ends the exchange that the other left', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const [runtimeOne, runtimeTwo] = [speakingRuntime(() => [HELD, { say: 'Here.' }]), speakingRuntime(() => 'There.')]
    const timing = { leaseMs: 60_000, renewMs: 50, pollMs: 20 }
    const one = await openRooms(records()[0]!, { runtime: runtimeOne, instance: 'one', ...timing })
    const { exchange } = await one.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
    await until(() => runtimeOne.turns.length === 1)
    const two = await openRooms(records()[1]!, { runtime: runtimeTwo, instance: 'two', ...timing })
    await two.exchanges.say(team.teamId, OPERATOR, { body: 'And then' })
    for (let n = 0; n < 20; n++) await two.exchanges.open(team.teamId)
    expect(runtimeTwo.turns.length).toBe(0)
    // As after a stall: another server has the lease now.
    await store().db.run(sql`UPDATE rooms SET owner_instance = 'two' WHERE id = ${team.roomId}`)
    expect(await two.exchanges.whenEnded(exchange.id)).toMatchObject({ turns: 1 })
    await until(async () => (await two.exchanges.open(team.teamId)).length === 0)
    const runOfOne = () => store().runs.get(runtimeOne.turns[0]!.options.runId)
    await until(async () => (await runOfOne())?.state === 'ended')
    expect(await runOfOne()).toMatchObject({ outcome: 'aborted' })
    runtimeOne.release()
    const texts = await team.agentPosts()
    expect(texts[0]).toBe('0: There.')
    expect(texts).not.toContain('0: Here.')
    expect((await team.posts()).map(({ seq }) => seq)).toEqual((await team.posts()).map((_, at) => at + 1))
  })

  it('[TC114] an exchange that is stopped through another server ends', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const timing = { leaseMs: 60_000, renewMs: 20, pollMs: 20 }
    const runtime = speakingRuntime(() => [{ hang: true }])
    const one = await openRooms(records()[0]!, { runtime, instance: 'one', ...timing })
    const two = await openRooms(records()[1]!, {
      runtime: speakingRuntime(() => 'x'),
      instance: 'two',
      ...timing,
      pollMs: 60_000,
    })
    const { exchange } = await one.exchanges.say(team.teamId, OPERATOR, { body: 'Go' })
    await until(() => runtime.turns.length === 1)
    await two.exchanges.stop(team.teamId, { exchangeId: exchange.id })
    expect(await two.exchanges.whenEnded(exchange.id)).toMatchObject({ reason: 'aborted' })
  })

  it('[TC128] two servers with messages at the same time have one turn at a time in each room, and both read the same posts', async () => {
    const rooms = [await makeRoomTeam(records()[0]!, 2), await makeRoomTeam(records()[0]!, 2)]
    const speaking = new Map<string, number>()
    const overlaps: string[] = []
    const openOne = async (at: number) => {
      const runtime = speakingRuntime(({ agentId, count }) => [
        ...(count % 2 === 0 ? [post(`You? ${at} ${agentId} ${count}`, agentId.replace(/0\d$/, '01'))] : []),
        { wait: 3 },
        { say: `Words ${at} ${agentId} ${count}.` },
      ])
      const { adapter } = runtime
      const marked: typeof adapter = {
        ...adapter,
        async *events(run) {
          const { agentId } = runtime.turns.find(({ options }) => options.runId === run.runId)!
          const room = agentId.slice(0, -3)
          const others = speaking.get(room) ?? 0
          if (others > 0) overlaps.push(agentId)
          speaking.set(room, others + 1)
          for await (const event of adapter.events(run)) {
            if (endsRun(event)) speaking.set(room, speaking.get(room)! - 1)
            yield event
          }
        },
      }
      return openRooms(records()[at]!, {
        runtime: { ...runtime, adapter: marked },
        instance: `server-${at}`,
        pollMs: 10,
      })
    }
    const servers = [await openOne(0), await openOne(1)]
    const asked = servers.flatMap((server, at) =>
      rooms.flatMap((room) =>
        [1, 2, 3].map((n) => server.exchanges.say(room.teamId, OPERATOR, { body: `Ask ${at} ${n}` })),
      ),
    )
    for (const { exchange } of await Promise.all(asked)) await servers[0]!.exchanges.whenEnded(exchange.id)
    expect(overlaps).toEqual([])
    for (const room of rooms) {
      const [first, second] = await Promise.all(records().map(({ store }) => store.posts.after(room.roomId, 0, 1000)))
      expect(first).toEqual(second)
      expect(first!.map(({ seq }) => seq)).toEqual(first!.map((_, at) => at + 1))
      expect(first!.filter(({ kind }) => kind === 'user').length).toBe(6)
    }
  })
})
