import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OPERATIONS } from '@clawboo/api'
import type { ApiError } from '@clawboo/api/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'
import { WITH_GATE } from './gate/server-with-gate.ts'
import { type GateUpstream, startUpstream } from './gate/upstream.ts'

const SECRET = `right-${randomBytes(8).toString('hex')}`
const params = { sourceId: 'gate' }

let home: string
let server: ServerProcess
let upstream: GateUpstream
const start = () => startServer({ ...WITH_GATE, home, env: { ...WITH_GATE.env, CLAWBOO_LOG: 'debug' } })
beforeAll(async () => {
  home = await temporaryHome()
  server = await start()
})
afterAll(async () => {
  await server.stop()
  await removeHome(home)
})
beforeEach(async () => {
  upstream = await startUpstream(SECRET, ['moss', 'fern'])
})
afterEach(async () => {
  await server.client.disconnectSource({ params })
  await upstream.leave()
})

const connect = (secret?: string) =>
  server.client.connectSource({ params, body: { address: upstream.address, ...(secret && { secret }) } })
const gate = async () => (await server.client.listSources({})).sources.find(({ sourceId }) => sourceId === 'gate')!
const namesHere = async () => {
  const { agents } = await server.client.listAgents({})
  return agents.filter(({ sourceId }) => sourceId === 'gate').map(({ displayName }) => displayName)
}
const refusal = ({ code, message, details }: ApiError) => ({ code, message, details })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: ApiError) => `${error.status} ${error.code}`,
  )

test('[RG50] a source that was never connected makes no fleet stale', async () => {
  expect(await gate()).toMatchObject({ state: 'disconnected', lastSyncAt: null, stale: false, trouble: 'none' })
  expect(await server.client.listAgents({})).toMatchObject({ stale: false })
})

test('[RG51] the lists show which sources a person connects, with their texts', async () => {
  const { sources } = await server.client.listSources({})
  const { sources: ofFleet } = await server.client.listAgents({})
  const { runtimes } = await server.client.listRuntimes({})
  const withWords = runtimes.filter(({ connecting }) => connecting).map(({ id }) => id)
  expect(withWords).toContain('gate')
  for (const listed of [sources, ofFleet])
    expect(listed.filter(({ connectable }) => connectable).map(({ sourceId }) => sourceId)).toEqual(withWords)
  expect(runtimes.find(({ id }) => id === 'gate')?.connecting).toEqual({
    addressLabel: 'Gate address',
    addressExample: '127.0.0.1:4711',
    secretLabel: 'Gate secret',
    help: expect.stringContaining('gate.json'),
  })
  expect(runtimes.find(({ participantKind }) => participantKind === 'human')).not.toHaveProperty('connecting')
})

test('[RG52] a found upstream connects with its own secret, reconnects after a loss, disconnects, and stays readable', async () => {
  const { client } = server
  await writeFile(join(home, 'gate.json'), JSON.stringify({ address: upstream.address, secret: SECRET }))
  const { upstreams } = await client.findUpstreams({ params })
  expect(upstreams).toEqual([{ address: upstream.address, foundIn: '~/gate.json', isRunning: true, secretKnown: true }])
  const connected = await connect()
  expect(connected).toMatchObject({
    state: 'connected',
    address: upstream.address,
    version: '4.7.11',
    problem: null,
    scopes: ['gate.read', 'gate.write', 'gate.dig'],
  })
  for (const [id, answer] of [
    ['connectSource', connected],
    ['getConnection', await client.getConnection({ params })],
    ['findUpstreams', { upstreams }],
    ['listSources', await client.listSources({})],
    ['listRuntimes', await client.listRuntimes({})],
  ] as const)
    expect({ id, ...OPERATIONS[id].response.safeParse(answer) }).toEqual({ id, success: true, data: answer })
  expect(await namesHere()).toEqual(['fern', 'moss'])
  expect(await gate()).toMatchObject({ stale: false, trouble: 'none', agentCount: 2 })

  const reader = await followFeed(server)
  await reader.waitFor((frame) => frame.event === 'feed-ready')
  await upstream.leave()
  await reader.waitFor((frame) => frame.event === 'source-status')
  expect(await client.getConnection({ params })).toMatchObject({
    state: 'reconnecting',
    version: '4.7.11',
    problem: { code: 'unreachable', remedy: 'Start it.' },
  })
  expect(await gate()).toMatchObject({ stale: true, trouble: 'offline', agentCount: 2 })
  expect(await namesHere()).toEqual(['fern', 'moss'])
  await upstream.comeBack()
  await expect.poll(async () => (await client.getConnection({ params })).state).toBe('connected')
  reader.close()

  expect(await client.disconnectSource({ params })).toMatchObject({ state: 'disconnected', address: null })
  expect(await gate()).toMatchObject({ state: 'disconnected', stale: true, agentCount: 2 })
  expect(await namesHere()).toEqual(['fern', 'moss'])
  await rm(join(home, 'gate.json'))
  expect(await client.findUpstreams({ params })).toEqual({ upstreams: [] })
})

test('[RG52] a missing or wrong secret is a problem with a remedy, and the right one connects permanently', async () => {
  expect(await connect()).toMatchObject({ state: 'disconnected', problem: { code: 'secret_missing' } })
  expect(await connect('wrong')).toMatchObject({
    state: 'disconnected',
    address: upstream.address,
    problem: { code: 'secret_wrong', remedy: expect.stringContaining('gate.json') },
  })
  expect(await connect(SECRET)).toMatchObject({ state: 'connected' })
  expect(upstream.seen).toEqual([null, 'wrong', SECRET])
  await server.kill()
  server = await start()
  await expect.poll(async () => (await server.client.getConnection({ params })).state).toBe('connected')
})

test('[RG53] an unknown source, and one that cannot be connected, respond with their codes', async () => {
  const { client } = server
  const body = { address: upstream.address }
  const { sources } = await client.listSources({})
  const plain = sources.filter(({ connectable }) => !connectable).map(({ sourceId }) => sourceId)
  expect(plain.length).toBeGreaterThan(0)
  for (const [sourceId, code] of [
    ['nobody', '404 source_not_found'],
    ['__proto__', '404 source_not_found'],
    ...plain.map((id) => [id, '409 connection_unsupported'] as const),
  ] as const) {
    const of = { params: { sourceId } }
    expect(await codeOf(client.getConnection(of))).toBe(code)
    expect(await codeOf(client.findUpstreams(of))).toBe(code)
    expect(await codeOf(client.connectSource({ ...of, body }))).toBe(code)
    expect(await codeOf(client.disconnectSource(of))).toBe(code)
    expect(await codeOf(client.removeGhosts(of))).toBe(code)
  }
  expect(await codeOf(client.syncSource({ params: { sourceId: 'nobody' } }))).toBe('404 source_not_found')
})

test('[RG54] refuses an invalid address or secret before trying anything', async () => {
  const { client } = server
  const before = await client.listAudit({})
  const { address } = upstream
  for (const body of [
    {},
    { address: '' },
    { address: '   ' },
    { address: 'x'.repeat(501) },
    { address: `me:${SECRET}@${address}` },
    { address: `ws://me@${address}` },
    { address: `${address}?token=${SECRET}` },
    { address: `${address}/#token=${SECRET}` },
    { address: `${address}\nx` },
    { address: `${address} x` },
    { address: 12 },
    { address, secret: '' },
    { address, secret: ' \n ' },
    { address, secret: 'x'.repeat(4_001) },
    { address, secret: 'two\nlines' },
    { address, secret: null },
    { address, token: SECRET },
  ]) {
    const answer = await client.connectSource({ params, body: body as { address: string } }).catch(refusal)
    expect([body, answer]).toEqual([body, expect.objectContaining({ code: 'body_invalid' })])
    expect(JSON.stringify(answer)).not.toContain(SECRET)
  }
  const elsewhere = client.connectSource({ params, body: { address: 'gate.example.org:80', secret: SECRET } })
  expect(await codeOf(elsewhere)).toBe('400 connection_invalid')
  expect(upstream.seen).toEqual([])
  expect(await client.listAudit({})).toEqual(before)
  const longest = { address: '127.0.0.1:1'.padEnd(500, '1'), secret: 'x'.repeat(4_000) }
  expect(await codeOf(client.connectSource({ params, body: longest }))).toBe('400 connection_invalid')
  expect(await connect(`  ${SECRET}\n`)).toMatchObject({ state: 'connected' })
})

test('[RG55] the secret is in no response, event, log line, audit entry or plain file', async () => {
  const { client } = server
  const canary = `canary-${randomBytes(8).toString('hex')}`
  const reader = await followFeed(server, 0)
  const answers: unknown[] = [
    await connect(canary),
    await client.getConnection({ params }),
    await connect(SECRET),
    await client.getConnection({ params }),
    await client.findUpstreams({ params }),
    await client.listSources({}),
    await client.listRuntimes({}),
    await client.listAgents({}),
    await client.connectSource({ params, body: { address: 'gate.example.org:80', secret: canary } }).catch(refusal),
    await client.connectSource({ params, body: { address: '', secret: canary } }).catch(refusal),
    await client
      .connectSource({ params: { sourceId: 'nobody' }, body: { address: 'x', secret: canary } })
      .catch(refusal),
    await client.disconnectSource({ params }),
    await client.listAudit({}),
  ]
  expect(upstream.seen).toEqual([canary, SECRET])
  expect(answers[0]).toMatchObject({ problem: { code: 'secret_wrong' } })
  await reader.waitFor((frame) => frame.event === 'source-status')
  const places = {
    answers: JSON.stringify(answers),
    events: JSON.stringify(reader.frames),
    log: server.output(),
    files: await textOfFiles(home),
  }
  reader.close()
  for (const [place, text] of Object.entries(places)) {
    expect({ place, size: text.length > 100 }).toEqual({ place, size: true })
    for (const secret of [canary, SECRET]) expect([place, text.includes(secret)]).toEqual([place, false])
  }
})

test('[RG56] audits connecting and disconnecting with the address, and publishes it even when the source does not', async () => {
  const { client } = server
  await connect('wrong')
  await connect(SECRET)
  const reader = await followFeed(server)
  await reader.waitFor((frame) => frame.event === 'feed-ready')
  await client.disconnectSource({ params })
  expect((await reader.waitFor((frame) => frame.event === 'source-status')).data).toMatchObject({ sourceId: 'gate' })
  reader.close()
  const { entries } = await client.listAudit({ query: { limit: 30 } })
  const own = entries.filter(({ action }) => /^source\.(dis)?connect$/.test(action)).slice(0, 3)
  const { address } = upstream
  expect(own.map(({ actor, action, subject, detail }) => ({ actor, action, subject, detail }))).toEqual([
    { actor: 'operator', action: 'source.disconnect', subject: 'gate', detail: { address } },
    {
      actor: 'operator',
      action: 'source.connect',
      subject: 'gate',
      detail: { address, state: 'connected', problem: null },
    },
    {
      actor: 'operator',
      action: 'source.connect',
      subject: 'gate',
      detail: { address, state: 'disconnected', problem: 'secret_wrong' },
    },
  ])
})

test('[RG57] deletes Boos that no longer exist upstream on request, after checking again', async () => {
  const { client } = server
  await connect(SECRET)
  upstream.tell(['moss'])
  await expect.poll(namesHere).toEqual(['moss'])
  const archived = async () =>
    (await client.listAgents({ query: { includeArchived: 'true', status: 'archived' } })).agents.map(({ id }) => id)
  expect(await archived()).toEqual(['gate-fern'])
  await client.disconnectSource({ params })
  expect(await codeOf(client.removeGhosts({ params }))).toBe('503 upstream_disconnected')
  expect(await archived()).toEqual(['gate-fern'])
  await connect(SECRET)
  const reader = await followFeed(server)
  await reader.waitFor((frame) => frame.event === 'feed-ready')
  expect(await client.removeGhosts({ params })).toEqual({ removed: ['gate-fern'] })
  expect((await reader.waitFor((frame) => frame.event === 'agent-removed')).data).toMatchObject({
    agentId: 'gate-fern',
  })
  reader.close()
  expect(await archived()).toEqual([])
  expect(await namesHere()).toEqual(['moss'])
  expect(await client.removeGhosts({ params })).toEqual({ removed: [] })
})

async function textOfFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}
