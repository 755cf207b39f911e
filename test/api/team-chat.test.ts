import { request } from 'node:http'
import { OPERATIONS, type Operation, type OperationId } from '@clawboo/api'
import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'
import type { ServerProcess } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

const scripted = (...steps: unknown[]) => `Please.\n\`\`\`script\n${JSON.stringify(steps)}\n\`\`\``

let teams = 0

async function makeTeam({ client }: ServerProcess) {
  const name = `Room ${++teams}`
  const ids: string[] = []
  for (const one of ['Ada', 'Bob']) ids.push((await client.createAgent({ body: { name: `${one} ${teams}` } })).id)
  const { team, leaderId } = await client.createTeam({ body: { name, memberIds: ids, leadAgentId: ids[0]! } })
  // The leader may belong to another team: it is the first Boo of all.
  return { teamId: team.id, leader: leaderId!, bob: ids[1]! }
}

async function untilEnded({ client }: ServerProcess, exchangeId: string) {
  for (;;) {
    const exchange = await client.getExchange({ params: { exchangeId } })
    if (exchange.status === 'ended') return exchange
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function checkAnswers(answers: Partial<Record<OperationId, unknown>>): void {
  for (const [id, answer] of Object.entries(answers)) {
    const schema = (OPERATIONS[id as OperationId] as Operation).response!
    expect({ id, result: schema.safeParse(answer) }).toMatchObject({ id, result: { success: true, data: answer } })
  }
}

describeServer('A team’s room', (server) => {
  test('[AP14] responses about a room match the operation’s own schema, strictly', async () => {
    const { client } = server()
    const { teamId, bob } = await makeTeam(server())
    const body = { teamId, body: scripted([{ say: 'Hello.' }]), to: [bob], wait: true }
    const started = await client.startExchange({ body })
    expect(started.exchange).toMatchObject({ status: 'ended', reason: 'no_pending_obligation' })
    checkAnswers({
      startExchange: started,
      getExchange: await client.getExchange({ params: { exchangeId: started.exchange.id } }),
      listRooms: await client.listRooms({}),
      readRoom: await client.readRoom({ query: { teamId } }),
      postToRoom: await client.postToRoom({ body: { teamId, body: 'By the way' } }),
      previewRoom: await client.previewRoom({ body: { teamId, to: [bob], skip: [bob] } }),
      getRoomSettings: await client.getRoomSettings({ query: { teamId } }),
      changeRoomSettings: await client.changeRoomSettings({ body: { teamId, turnCap: 3, wakesLeader: true } }),
    })
    const held = await client.startExchange({ body: { teamId, body: scripted([{ stall: true }]) } })
    checkAnswers({
      readRoom: await client.readRoom({ query: { teamId, sinceSeq: '1', limit: '2' } }),
      stopRoom: await client.stopRoom({ body: { teamId, exchangeId: held.exchange.id } }),
    })
    expect(await untilEnded(server(), held.exchange.id)).toMatchObject({ reason: 'aborted' })
  })

  test('[TC123] reads a room forward, backward and from its end, with the active exchanges', async () => {
    const { client } = server()
    const { teamId, leader } = await makeTeam(server())
    expect(await client.readRoom({ query: { teamId } })).toEqual({
      posts: [],
      head: 0,
      next: 0,
      hasMore: false,
      exchanges: [],
    })
    for (let n = 1; n <= 6; n++) await client.postToRoom({ body: { teamId, body: `Post ${n}` } })
    const seqs = async (query: Record<string, string>) =>
      (await client.readRoom({ query: { teamId, ...query } as never })).posts.map(({ seq }) => seq)
    expect(await seqs({ limit: '2' })).toEqual([5, 6])
    expect(await seqs({ before: '5', limit: '2' })).toEqual([3, 4])
    expect(await seqs({ sinceSeq: '2', limit: '3' })).toEqual([3, 4, 5])
    const page = await client.readRoom({ query: { teamId, sinceSeq: '2', limit: '3' } })
    expect(page).toMatchObject({ next: 5, head: 6, hasMore: true })
    expect((await client.listRooms({})).rooms).toContainEqual({ teamId, head: 6 })
    for (const query of [
      { sinceSeq: '1', before: '3' },
      { sinceSeq: '-1' },
      { limit: '0' },
      { limit: '201' },
      { x: '1' },
    ])
      await expect(seqs(query as never)).rejects.toMatchObject({ status: 400 })
    for (const team of ['none', ' ']) await expect(seqs({ teamId: team })).rejects.toMatchObject({ status: 404 })
    const { exchange } = await client.startExchange({ body: { teamId, body: scripted([{ stall: true }]) } })
    for (;;) {
      const { exchanges } = await client.readRoom({ query: { teamId } })
      if (exchanges[0]?.speaker) {
        expect(exchanges).toMatchObject([{ id: exchange.id, status: 'running', speaker: { agentId: leader, turn: 1 } }])
        break
      }
    }
    await client.stopRoom({ body: { teamId } })
    await untilEnded(server(), exchange.id)
  })

  test('[TC124] a post wakes no agent, and settings are stored and audited', async () => {
    const { client } = server()
    const { teamId, bob } = await makeTeam(server())
    await client.postToRoom({ body: { teamId, body: 'Note this', to: [bob] } })
    expect((await client.listRuns({ query: { teamId } })).runs).toEqual([])
    expect(await client.getRoomSettings({ query: { teamId } })).toEqual({
      teamId,
      turnCap: null,
      defaultTurnCap: 5,
      wakesLeader: false,
    })
    await client.changeRoomSettings({ body: { teamId, turnCap: 2 } })
    await client.changeRoomSettings({ body: { teamId, wakesLeader: true } })
    expect(await client.getRoomSettings({ query: { teamId } })).toMatchObject({ turnCap: 2, wakesLeader: true })
    for (const turnCap of [0, 51, 1.5, 'two'])
      await expect(client.changeRoomSettings({ body: { teamId, turnCap: turnCap as number } })).rejects.toMatchObject({
        status: 400,
      })
    await expect(client.getRoomSettings({ query: { teamId: 'none' } })).rejects.toMatchObject({
      code: 'team_not_found',
    })
    const { entries } = await client.listAudit({})
    expect(entries.filter(({ action, subject }) => action === 'team-chat.configure' && subject === teamId).length).toBe(
      2,
    )
  })

  test('[TC125] disconnecting from a POST that waits stops what it started', async () => {
    const { url, token, client } = server()
    const { teamId } = await makeTeam(server())
    const waiting = request(`${url}/api/team-chat/exchange`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    waiting.on('error', () => {})
    waiting.end(JSON.stringify({ teamId, body: scripted([{ stall: true }]), wait: true }))
    let exchangeId = ''
    for (;;) {
      const [open] = (await client.readRoom({ query: { teamId } })).exchanges
      exchangeId = open?.id ?? ''
      if (open?.speaker) break
    }
    waiting.destroy()
    expect(await untilEnded(server(), exchangeId)).toMatchObject({ reason: 'aborted' })
  })

  test('[TC125] a client that did not ask to wait may disconnect, and the exchange continues', async () => {
    const { client } = server()
    const { teamId } = await makeTeam(server())
    const { exchange } = await client.startExchange({ body: { teamId, body: scripted([{ say: 'Still here.' }]) } })
    expect(await untilEnded(server(), exchange.id)).toMatchObject({ reason: 'no_pending_obligation', turns: 1 })
  })

  test('[TC126] refuses a run’s grant for every operation, and records the attempt', async () => {
    const { url, client } = server()
    const { teamId } = await makeTeam(server())
    const grant = `clawboo_grant_${'x'.repeat(43)}`
    const send = (method: string, path: string, body?: unknown) =>
      fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${grant}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const answers = [
      await send('GET', `/api/team-chat?teamId=${teamId}`),
      await send('POST', '/api/team-chat/exchange', { teamId, body: 'I am a person' }),
      await send('POST', '/api/team-chat/posts', { teamId, body: 'I am a person' }),
      await send('POST', '/api/team-chat/stop', { teamId }),
      await send('PATCH', '/api/team-chat/settings', { teamId, turnCap: 50 }),
    ]
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'grant_refused' } }])
    const { entries } = await client.listAudit({})
    const refused = entries.filter(({ detail }) => JSON.stringify(detail).includes('/api/team-chat'))
    expect(refused.length).toBe(answers.length)
    expect((await client.readRoom({ query: { teamId } })).posts).toEqual([])
  })

  test('[TC111] the feed reports posts, the speaker and the end', async () => {
    const { client } = server()
    const { teamId, leader } = await makeTeam(server())
    const reader = await followFeed(server())
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    const { exchange } = await client.startExchange({ body: { teamId, body: scripted([{ say: 'Live.' }]) } })
    const isEnd = (frame: { event: string; data: Record<string, unknown> }) =>
      frame.event === 'exchange-changed' && (frame.data.exchange as { status: string }).status === 'ended'
    await reader.waitFor(isEnd)
    reader.close()
    const told = reader.frames.map(({ event }) => event)
    for (const type of ['team-chat-posted', 'speaker-selected', 'run-started', 'run-ended'])
      expect(told).toContain(type)
    const selected = reader.frames.find(({ event }) => event === 'speaker-selected')!
    expect(selected.data).toMatchObject({ exchangeId: exchange.id, agentId: leader, because: 'leader' })
  })

  test('[TC113] a message over HTTP steers the active exchange', async () => {
    const { client } = server()
    const { teamId, bob } = await makeTeam(server())
    const held = scripted([{ callTool: 'list_tasks', with: {} }, { wait: 300 }], [{ say: 'One.' }])
    const first = await client.startExchange({ body: { teamId, body: held } })
    for (;;) if ((await client.readRoom({ query: { teamId } })).exchanges[0]?.speaker) break
    const steered = await client.startExchange({ body: { teamId, body: 'Bob too', to: [bob], mode: 'steer' } })
    expect(steered).toMatchObject({ joined: true, exchange: { id: first.exchange.id } })
    const ended = await untilEnded(server(), first.exchange.id)
    expect(ended.turns).toBeGreaterThanOrEqual(2)
    const { posts } = await client.readRoom({ query: { teamId } })
    expect(posts.some(({ author }) => author.kind === 'agent' && author.id === bob)).toBe(true)
  })
})
