import { describe, expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { sql } from '../../store/sql.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { makeRoomTeam, openRooms, speakingRuntime, until } from './test-exchanges.ts'

const OPERATOR = { kind: 'operator' } as const
const post = (body: string, ...to: string[]) => ({ callHostTool: 'team_chat_post', with: { body, to } }) as const

describe('An exchange', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  it('[TC100] a message and the exchange that it starts are stored together; a refused message stores nothing', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const server = await openRooms(records()[0]!, { runtime: speakingRuntime(() => 'Hello.') })
    const { post: message, exchange } = await team.ask(server, 'Hi')
    expect(message).toMatchObject({
      seq: 1,
      kind: 'user',
      body: 'Hi',
      credential: 'operator',
      chainId: message.id,
      hops: 0,
    })
    expect(exchange).toMatchObject({ teamId: team.teamId, stimulusSeq: 1, status: 'queued' })
    const { exchanges } = server
    for (const refused of [{ body: ' ' }, { body: 'x'.repeat(32_001) }, { body: 'Hi', to: ['nobody'] }])
      await expect(exchanges.say(team.teamId, OPERATOR, refused)).rejects.toThrow()
    await expect(exchanges.say(team.teamId, { kind: 'person', id: team.id(0) }, { body: 'Hi' })).rejects.toThrow()
    await expect(exchanges.say('no-team', OPERATOR, { body: 'Hi' })).rejects.toMatchObject({ code: 'team_not_found' })
    expect((await team.posts()).length).toBe(2)
    expect((await store().exchanges.list(team.roomId, { limit: 9 })).length).toBe(1)
    const audited = (await records()[0]!.audit()).filter(
      ({ action, subject }) => action === 'team-chat.say' && subject === team.teamId,
    )
    expect(audited).toMatchObject([{ detail: { postId: message.id, exchangeId: exchange.id } }])
  })

  it('[TC101] the leader answers a message without mentions, and its last text becomes its post', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(() => 'Hello.')
    const server = await openRooms(records()[0]!, { runtime })
    const asked = await team.ask(server, 'Hi')
    expect(asked).toMatchObject({ reason: 'no_pending_obligation', turns: 1 })
    const [, answer] = await team.posts()
    expect(answer).toMatchObject({
      seq: 2,
      kind: 'peer',
      author: { kind: 'agent', id: team.id(0) },
      body: 'Hello.',
      to: [],
      chainId: asked.post.id,
      hops: 0,
      credential: 'mediated',
      turnKey: `${asked.exchange.id}:1`,
    })
    expect(answer!.runId).toBe(runtime.turns[0]!.options.runId)
  })

  it('[TC101] mentioned agents have their turns one after the other, then the leader has one', async () => {
    const team = await makeRoomTeam(records()[0]!, 3)
    const server = await openRooms(records()[0]!, { runtime: speakingRuntime(({ agentId }) => `I am ${agentId}.`) })
    const asked = await team.ask(server, 'Who is here?', { to: [team.id(2), 'Boo 1'] })
    expect(asked).toMatchObject({ reason: 'no_pending_obligation', turns: 3 })
    expect(await team.agentPosts()).toEqual([1, 2, 0].map((at) => `${at}: I am ${team.id(at)}.`))
  })

  it('[TC102] a turn is a run with the trigger room, and continues the agent’s conversation in that room', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ count }) => `Words ${count}.`)
    const server = await openRooms(records()[0]!, { runtime })
    await team.ask(server, 'One')
    await team.ask(server, 'Two')
    const sessionKey = `agent:${team.id(0)}:room:${team.roomId}`
    const runs = await store().runs.list({ agentId: team.id(0), sessionKey, limit: 9 })
    expect(runs.length).toBe(2)
    for (const run of runs)
      expect(run).toMatchObject({ trigger: 'room', state: 'ended', outcome: 'completed', teamId: team.teamId })
    const [first, second] = runtime.turns
    expect([first!.options.resume, typeof second!.options.resume]).toEqual([null, 'string'])
    const member = await store().roomMembers.get(team.roomId, team.id(0))
    expect(member).toMatchObject({ cursorSeq: 3, summary: 'Words 1.' })
  })

  it('[TC103] a prompt has the posts of others since the agent’s last turn and the messages of this exchange, never its own posts', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) => `${agentId} says ${count}.`)
    const server = await openRooms(records()[0]!, { runtime })
    await team.ask(server, 'First wish', { to: [team.id(1)] })
    await team.ask(server, 'Second wish')
    const last = runtime.turns.at(-1)!
    expect(last.agentId).toBe(team.id(0))
    expect(last.prompt).toContain('```\nSecond wish\n```')
    expect(last.prompt).not.toContain('First wish')
    expect(last.prompt).not.toMatch(/seq=\d+/)
    expect(last.prompt).toContain(`${team.id(0)} says 0.`)
    const [one, two] = runtime.turns
    expect(one!.prompt).toContain('```\nFirst wish\n```')
    expect(two!.prompt).toContain(
      `[Inter-session message · from=${team.id(1)} · kind=peer · seq=2 · isUser=false]\n| ${team.id(1)} says 0.`,
    )
  })

  it('[TC105] a text that the agent already posted is not posted again, and a pass posts nothing', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ count }) =>
      count === 0 ? [post('The answer.'), { say: ' The answer. ' }] : ' NO_REPLY\n',
    )
    const server = await openRooms(records()[0]!, { runtime })
    expect(await team.ask(server, 'One')).toMatchObject({ turns: 1, reason: 'no_pending_obligation' })
    expect(await team.agentPosts()).toEqual(['0: The answer.'])
    expect(await team.ask(server, 'Two')).toMatchObject({ turns: 1, reason: 'no_pending_obligation' })
    expect(await team.agentPosts()).toEqual(['0: The answer.'])
  })

  it('[TC106] a post addressed to a teammate wakes it, in the same chain with one more hop', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === team.id(0) && count === 0
        ? [post('Can you?', team.id(1)), { say: 'I have asked.' }]
        : `Yes ${count}.`,
    )
    const server = await openRooms(records()[0]!, { runtime })
    const { post: wish } = await team.ask(server, 'Do it')
    expect(await team.agentPosts()).toEqual(['0: Can you?', '0: I have asked.', '1: Yes 0.', '0: Yes 1.'])
    const posts = (await team.posts()).slice(1)
    expect(posts.map(({ chainId }) => chainId)).toEqual(posts.map(() => wish.id))
    expect(posts.map(({ hops }) => hops)).toEqual([0, 0, 1, 1])
  })

  it.each([
    ['a pair', 2, 4],
    ['a triangle', 3, 5],
    ['a clique of five', 5, 5],
  ])(
    '[TC109] agents that always ask each other, as %s, stop at the bound, and the exchange ends with that reason',
    async (_, agents, most) => {
      const team = await makeRoomTeam(records()[0]!, agents)
      const runtime = speakingRuntime(({ agentId, count }) => [
        post(`And you? ${agentId} ${count}`, ...team.ids.filter((id) => id !== agentId)),
        { say: `Asked ${agentId} ${count}.` },
      ])
      const server = await openRooms(records()[0]!, { runtime })
      const asked = await team.ask(server, 'Talk')
      expect(asked.turns).toBeLessThanOrEqual(most)
      expect(runtime.turns.length).toBe(asked.turns)
      expect(['max_turns', 'no_pending_obligation']).toContain(asked.reason)
      const hits = (await records()[0]!.events('turn-bound-hit')).filter(({ teamId }) => teamId === team.teamId)
      expect(hits.length).toBe(asked.reason === 'max_turns' ? 1 : 0)
    },
  )

  it('[TC109] the turn cap of a room bounds its exchanges', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ agentId, count }) => [
      post(`And you? ${count}`, ...team.ids.filter((id) => id !== agentId)),
    ])
    const server = await openRooms(records()[0]!, { runtime })
    await server.exchanges.configure(team.teamId, { turnCap: 2 })
    expect(await team.ask(server, 'Talk')).toMatchObject({ turns: 2, reason: 'max_turns' })
    expect(await server.exchanges.settings(team.teamId)).toMatchObject({
      turnCap: 2,
      wakesLeader: false,
      defaultTurnCap: 5,
    })
    await expect(server.exchanges.configure(team.teamId, { turnCap: 51 })).rejects.toMatchObject({
      code: 'request_invalid',
    })
    await expect(server.exchanges.configure('no-team', {})).rejects.toMatchObject({ code: 'team_not_found' })
  })

  it('[TC110] a failed turn counts, fulfils its obligations, and the reason is posted to the room', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const server = await openRooms(records()[0]!, { runtime: speakingRuntime(() => [{ failFatally: 'no such key' }]) })
    expect(await team.ask(server, 'Hi')).toMatchObject({ turns: 1, reason: 'no_pending_obligation' })
    expect((await team.posts()).at(-1)).toMatchObject({
      kind: 'system',
      body: 'Boo 0 could not answer: no such key',
    })
  })

  it('[TC110] an agent that cannot run does not prevent the turns of others', async () => {
    const team = await makeRoomTeam(records()[0]!)
    await store().db.run(sql`UPDATE agents SET runtime = 'elsewhere' WHERE id = ${team.id(1)}`)
    const server = await openRooms(records()[0]!, { runtime: speakingRuntime(() => 'I can.') })
    expect(await team.ask(server, 'Hi', { to: [team.id(1)] })).toMatchObject({ turns: 2 })
    expect(await team.agentPosts()).toEqual(['0: I can.'])
    expect((await team.posts())[1]).toMatchObject({ kind: 'system', body: expect.stringContaining('no runtime') })
  })

  it('[TC111] each step has an event: the start, the speaker with its reason, the bound, the end', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(() => 'Hello.')
    const server = await openRooms(records()[0]!, { runtime })
    const { exchange } = await team.ask(server, 'Hi')
    const changes = (await records()[0]!.events('exchange-changed')).map((event) => event.exchange)
    const own = changes.filter(({ id }) => id === exchange.id)
    expect(own.map(({ status, turns, speaker, reason }) => [status, turns, speaker?.agentId ?? null, reason])).toEqual([
      ['queued', 0, null, null],
      ['running', 0, null, null],
      ['running', 0, team.id(0), null],
      ['running', 1, null, null],
      ['ended', 1, null, 'no_pending_obligation'],
    ])
    const selected = (await records()[0]!.events('speaker-selected')).filter(
      (event) => event.exchangeId === exchange.id,
    )
    const { runId } = runtime.turns[0]!.options
    expect(selected).toMatchObject([{ agentId: team.id(0), runId, because: 'leader', turn: 1, bound: 4 }])
  })

  it('[TC112] messages that arrive during an exchange start their own exchanges, in order', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ count }) =>
      count === 0 ? [{ callTool: 'held' }, { say: 'First.' }] : `Then ${count}.`,
    )
    const server = await openRooms(records()[0]!, { runtime })
    const first = await server.exchanges.say(team.teamId, OPERATOR, { body: 'One' })
    await until(() => runtime.turns.length === 1)
    const later = []
    for (const body of ['Two', 'Three'])
      later.push(await server.exchanges.say(team.teamId, OPERATOR, { body, mode: 'queue' }))
    expect(later.map(({ joined, exchange }) => [joined, exchange.status, exchange.ordinal])).toEqual([
      [false, 'queued', 2],
      [false, 'queued', 3],
    ])
    expect((await server.exchanges.open(team.teamId)).map(({ id }) => id)).toEqual(
      [first, ...later].map(({ exchange }) => exchange.id),
    )
    runtime.release()
    await server.exchanges.whenEnded(later[1]!.exchange.id)
    expect(await team.agentPosts()).toEqual(['0: First.', '0: Then 1.', '0: Then 2.'])
  })

  it('[TC116] a busy agent has its turn as soon as it is free', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const runtime = speakingRuntime(({ options: { hostTools }, count }) => {
      expect(hostTools).toBeDefined()
      return count === 0 ? [{ callTool: 'held' }, { say: 'In private.' }] : 'In the room.'
    })
    const server = await openRooms(records()[0]!, { runtime })
    await server.conversations.send({ agentId: team.id(0), text: 'Hello' })
    await until(() => runtime.turns.length === 1)
    const sent = await server.exchanges.say(team.teamId, OPERATOR, { body: 'Hi' })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(runtime.turns.length).toBe(1)
    runtime.release()
    await server.exchanges.whenEnded(sent.exchange.id)
    expect(await team.agentPosts()).toEqual(['0: In the room.'])
  })

  it('[TC130] an agent whose runtime has no tools takes part: its prompt has the posts, and its last text is posted', async () => {
    const team = await makeRoomTeam(records()[0]!)
    const plain = speakingRuntime(() => 'Without tools.', { runtimeClass: 'wrapped-oneshot' }, 'plain')
    await store().db.run(sql`UPDATE agents SET runtime = 'plain' WHERE id = ${team.id(1)}`)
    const runtime = speakingRuntime(({ count }) =>
      count === 0 ? [post('Can you?', team.id(1)), { say: 'I asked.' }] : 'Good.',
    )
    const server = await openRooms(records()[0]!, { runtime, moreRuntimes: [plain] })
    await team.ask(server, 'Hi')
    expect(await team.agentPosts()).toEqual(['0: Can you?', '0: I asked.', '1: Without tools.', '0: Good.'])
    expect(plain.turns[0]!.options.hostTools).toBeUndefined()
    expect(plain.turns[0]!.prompt).toContain('| Can you?')
    expect(plain.turns[0]!.prompt).not.toContain('team_chat_post')
  })

  it('[TC106] a leader that is in no team is addressed and answers like a member', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const zero = `zero-of-${team.teamId}`
    await store().agents.insert(newAgent(zero, { runtime: 'memory', name: 'Zero' }))
    const runtime = speakingRuntime(({ agentId, count }) =>
      agentId === zero ? `Zero ${count}.` : [post('May I?', 'Zero'), { say: 'I have asked.' }],
    )
    const server = await openRooms(records()[0]!, { runtime, booZeroId: zero })
    expect(await team.ask(server, 'Go', { to: [team.id(0)] })).toMatchObject({ turns: 2 })
    expect((await team.posts()).map(({ body }) => body)).toEqual(['Go', 'May I?', 'I have asked.', 'Zero 0.'])
    expect(runtime.turns[1]!.prompt).toContain('a teammate asked you for an answer')
  })

  it('[TC108] the cost of a turn counts for its speaker and for the room’s team, even if the speaker is in no team', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    await store().agents.insert(newAgent(`zero-${team.teamId}`, { runtime: 'memory', name: 'Zero' }))
    const runtime = speakingRuntime(() => 'Hello from outside.')
    const server = await openRooms(records()[0]!, { runtime, booZeroId: `zero-${team.teamId}` })
    await team.ask(server, 'Hi')
    const { agentUsd, teamUsd } = await server.limits.spentToday(`zero-${team.teamId}`, team.teamId)
    expect(agentUsd).toBeGreaterThan(0)
    expect(teamUsd).toBe(agentUsd)
  })

  it('[TC108] a spent budget pauses the exchange, before a turn and after one', async () => {
    const team = await makeRoomTeam(records()[0]!, 2)
    const runtime = speakingRuntime(() => 'Expensive words.')
    const server = await openRooms(records()[0]!, { runtime })
    await server.limits.write({ daily: { teamUsd: 0.000001 } })
    expect(await team.ask(server, 'Hi', { to: [...team.ids] })).toMatchObject({ reason: 'budget_paused', turns: 1 })
    expect(runtime.turns.length).toBe(1)
    expect(await team.ask(server, 'Again')).toMatchObject({ reason: 'budget_paused', turns: 0 })
    expect(runtime.turns.length).toBe(1)
    await server.limits.write({ daily: { teamUsd: 30 } })
  })
})
