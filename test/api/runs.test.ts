import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newRun } from '../../packages/server/src/store/contract/runs-contract.ts'
import { openStore, type Store } from '../../packages/server/src/store/open-store.ts'
import { type TestDatabase, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

const ended = { outcome: 'completed', reason: null, text: 'Done.', endedAt: 900 } as const
const entry = { sessionId: 's', ts: 1, type: 'text-delta', message: 0, offset: 0, text: 'Hello' } as const
const item = { agentId: null, runId: null, subjectId: null, detail: 'x', action: null, expiresAt: null } as const

describe.each(testEngines())('Runs on $engine', ({ createDatabase }) => {
  let database: TestDatabase
  let home: string
  let server: ServerProcess
  /** For rows that runs would have written. */
  let store: Store
  let agentId: string
  beforeAll(async () => {
    database = await createDatabase()
    home = await temporaryHome()
    const { databaseUrl } = database.options
    server = await startServer({ home, databaseUrl: databaseUrl ?? null })
    store = await openStore({ sqliteFile: `${home}/clawboo.sqlite`, databaseUrl })
    agentId = (await server.client.createAgent({ body: { name: 'Ada' } })).id
    for (let n = 1; n <= 4; n++) {
      await store.runs.insert(newRun(`run-${n}`, { agentId, startedAt: n }))
      await store.runs.appendEntries(`run-${n}`, [{ ...entry, runId: `run-${n}`, seq: 1 }])
      if (n > 1) await store.runs.end(`run-${n}`, 'home-1', ended)
    }
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
    await removeHome(home)
    await database.dispose()
  })

  test('[AP9] lists runs newest first with filters and pages, and reads each with its record', async () => {
    const { client } = server
    const first = await client.listRuns({ query: { agentId, limit: 2 } })
    expect(first.runs.map(({ id, agentName }) => [id, agentName])).toEqual([
      ['run-4', 'Ada'],
      ['run-3', 'Ada'],
    ])
    const rest = await client.listRuns({ query: { agentId, limit: 2, before: 'run-3' } })
    expect([rest.runs.map(({ id }) => id), rest.hasMore, first.hasMore]).toEqual([['run-2', 'run-1'], false, true])
    const ids = async (query: Parameters<typeof client.listRuns>[0]['query']) =>
      (await client.listRuns({ query })).runs.map(({ id }) => id)
    expect(await ids({ state: 'running' })).toEqual(['run-1'])
    expect(await ids({ outcome: 'completed', limit: 1 })).toEqual(['run-4'])
    expect(await ids({ teamId: 'none' })).toEqual([])
    const detail = await client.getRun({ params: { runId: 'run-2' } })
    expect(detail).toMatchObject({
      run: { id: 'run-2', outcome: 'completed', text: 'Done.', costUsd: null },
      entries: [{ ...entry, runId: 'run-2', seq: 1 }],
    })
    await expect(client.getRun({ params: { runId: 'nothing' } })).rejects.toMatchObject({ code: 'run_not_found' })
    await expect(client.listRuns({ query: { state: 'odd' as 'running' } })).rejects.toMatchObject({
      code: 'request_invalid',
    })
  })

  test('[RU10] lists messages to a Boo by state', async () => {
    const message = {
      agentId,
      sessionKey: 'main',
      mode: 'steer',
      model: null,
      sender: 'operator',
      owner: 'home-1',
    } as const
    for (const id of ['one', 'two']) await store.messages.insert({ ...message, id, text: id, createdAt: 1 })
    await store.messages.update(['one'], ['queued'], { state: 'delivered', runId: 'run-2', settledAt: 5 })
    const { messages } = await server.client.listMessages({ params: { agentId } })
    expect(messages.map(({ text, state }) => [text, state])).toEqual([
      ['one', 'delivered'],
      ['two', 'queued'],
    ])
    const query = { state: 'queued', session: 'main' } as const
    expect((await server.client.listMessages({ params: { agentId }, query })).messages).toEqual([messages[1]])
    await expect(server.client.listMessages({ params: { agentId: 'nobody' } })).rejects.toMatchObject({
      code: 'agent_not_found',
    })
  })

  test('[RU21] a person answers an item once, and readers and the audit log receive it', async () => {
    const { client } = server
    await store.attention.insert({
      ...item,
      id: 'i1',
      kind: 'limit',
      title: 'Stopped',
      answers: ['dismiss'],
      createdAt: 1,
    })
    const reader = await followFeed(server)
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    const params = { itemId: 'i1' }
    expect((await client.listAttention({ query: { state: 'open' } })).items).toMatchObject([
      { id: 'i1', state: 'open' },
    ])
    await expect(client.answerAttention({ params, body: { answer: 'deny' } })).rejects.toMatchObject({
      code: 'answer_refused',
    })
    const answered = await client.answerAttention({ params, body: { answer: 'dismiss' } })
    expect(answered).toMatchObject({ state: 'answered', answer: 'dismiss', answeredBy: 'operator' })
    await expect(client.answerAttention({ params, body: { answer: 'dismiss' } })).rejects.toMatchObject({
      status: 409,
      code: 'attention_settled',
    })
    await expect(
      client.answerAttention({ params: { itemId: 'nothing' }, body: { answer: 'dismiss' } }),
    ).rejects.toMatchObject({ code: 'attention_not_found' })
    const told = await reader.waitFor((frame) => frame.event === 'attention-changed')
    expect(told.data).toEqual({ type: 'attention-changed', item: answered })
    reader.close()
    expect((await client.listAttention({ query: { state: 'open' } })).items).toEqual([])
    expect((await client.listAttention({ query: { state: 'settled', limit: 1 } })).items).toEqual([answered])
    expect((await client.listAudit({ query: { limit: 1 } })).entries).toMatchObject([
      { actor: 'operator', action: 'attention.answer', subject: 'i1' },
    ])
  })

  test('[RU33] refuses a limit that is not a positive number within its bounds, and changes nothing', async () => {
    const before = await server.client.getLimits({})
    for (const body of [
      {},
      { run: {} },
      { run: { usd: 0 } },
      { run: { usd: -1 } },
      { run: { usd: '5' } },
      { run: { usd: null } },
      { run: { usd: 1e9 } },
      { run: { modelCalls: 1.5 } },
      { run: { wallMs: 0 } },
      { run: { unknown: 1 } },
      { daily: { agentUsd: 0 } },
      { other: 1 },
    ]) {
      const refused = server.client.setLimits({ body: body as { run: { usd: number } } })
      await expect(refused, JSON.stringify(body)).rejects.toMatchObject({ code: 'body_invalid' })
    }
    expect(await server.client.getLimits({})).toEqual(before)
  })

  test('[RU30] reads a changed limit back and keeps the others', async () => {
    const before = await server.client.getLimits({})
    const after = await server.client.setLimits({ body: { run: { wallMs: 60_000 }, daily: { teamUsd: 0.5 } } })
    expect(after).toEqual({
      ...before,
      run: { ...before.run, wallMs: 60_000 },
      daily: { ...before.daily, teamUsd: 0.5 },
    })
    expect(await server.client.getLimits({})).toEqual(after)
  })

  test('[AP10] refuses an empty, overlong or wrongly named message before doing anything', async () => {
    for (const body of [
      { text: '' },
      { text: ' \n\t' },
      { text: 'x'.repeat(100_001) },
      { text: 'hi', id: 'short' },
      { text: 'hi', id: 'with spaces in it' },
      { text: 'hi', mode: 'shout' },
      { text: 'hi', model: ' ' },
      { text: 'hi', sessionKey: '' },
      { text: 'hi', more: true },
    ]) {
      const refused = server.client.sendMessage({ params: { agentId }, body: body as { text: string } })
      await expect(refused, JSON.stringify(body).slice(0, 60)).rejects.toMatchObject({ code: 'body_invalid' })
    }
    await expect(
      server.client.changeConversation({ params: { agentId }, body: { sessionKey: 'main' } }),
    ).rejects.toMatchObject({ code: 'body_invalid' })
  })

  test('[AP11] refuses a stream of an unknown Boo, and HEAD for a stream', async () => {
    const answer = await fetch(`${server.url}/api/agents/nobody/stream`, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'agent_not_found' } }])
    const status = await new Promise((resolve, reject) => {
      request(`${server.url}/api/agents/${agentId}/stream`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${server.token}` },
      })
        .on('response', (response) => resolve(response.statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(405)
  })

  test('[RU1] a restarted server ends its own interrupted runs, and no others', async () => {
    const { id: mine } = await server.client.createAgent({ body: { name: 'Mine' } })
    const { id: other } = await server.client.createAgent({ body: { name: 'Other' } })
    const lastEventId = Number((await server.client.getStatus({})).lastEventId)
    await server.kill()
    const owner = { instance: (await readFile(`${home}/id`, 'utf8')).trim(), leaseMs: 600_000 }
    await store.runs.insert(newRun('left', { agentId: mine, owner, startedAt: 50 }))
    const elsewhere = { instance: 'another-home', leaseMs: 600_000 }
    await store.runs.insert(newRun('kept', { agentId: other, owner: elsewhere, startedAt: 51 }))
    for (const id of [mine, other]) await store.agents.setStatus(id, 'running', 60)
    server = await startServer({ home, databaseUrl: database.options.databaseUrl ?? null })
    expect((await server.client.getRun({ params: { runId: 'left' } })).run).toMatchObject({
      state: 'ended',
      outcome: 'interrupted',
      reason: 'server_died',
    })
    expect((await server.client.getAgent({ params: { agentId: mine } })).status).toBe('idle')
    expect((await server.client.getAgent({ params: { agentId: other } })).status).toBe('running')
    expect((await server.client.getRun({ params: { runId: 'kept' } })).run.state).toBe('running')
    const reader = await followFeed(server, lastEventId)
    const told = await reader.waitFor((frame) => frame.event === 'run-ended')
    expect(told.data).toMatchObject({ run: { id: 'left', outcome: 'interrupted' } })
    reader.close()
  })
})
