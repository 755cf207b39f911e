import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ApiError } from '@clawboo/api/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeBackup } from '../../packages/server/src/backup/write-backup.ts'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { type TestDatabase, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

const CANARY = 'sk-canary-7be1f0a94c'
const GOOD_KEY = 'sk-good-11aa22bb33'

describe.each(testEngines())('Model providers on $engine', ({ createDatabase }) => {
  let database: TestDatabase
  let home: string
  let server: ServerProcess
  let provider: { readonly http: Server; readonly baseUrl: string; readonly seen: string[] }
  beforeAll(async () => {
    database = await createDatabase()
    home = await temporaryHome()
    provider = await startProvider()
    server = await startServer({ home, databaseUrl: database.options.databaseUrl ?? null })
  })
  afterAll(async () => {
    await server.stop()
    provider.http.close()
    await removeHome(home)
    await database.dispose()
  })
  const params = { providerId: 'mine' }
  const save = () =>
    server.client.saveProvider({ params, body: { label: 'Mine', baseUrl: provider.baseUrl, models: [{ id: 'one' }] } })

  test('[RU40] a stored key is in no response, event, log line, audit entry, backup or plain file', async () => {
    const { client } = server
    const reader = await followFeed(server, 0)
    const answers: unknown[] = [
      await save(),
      await client.storeProviderKey({ params, body: { key: `  ${CANARY}\n` } }),
      await client.storeProviderKey({ params, body: { key: CANARY, storeAnyway: true } }),
      await client.checkProviderKey({ params }),
      await client.listProviders({}),
      await client.storeProviderKey({ params, body: { key: `${CANARY} and more` } }).catch(refusal),
      await client.storeProviderKey({ params: { providerId: 'nobody' }, body: { key: CANARY } }).catch(refusal),
      (await client.listAudit({})).entries,
    ]
    expect(answers.slice(1, 3)).toMatchObject([
      { stored: false, check: { result: 'refused' } },
      { stored: true, check: { result: 'refused' } },
    ])
    expect(provider.seen).toContain(`Bearer ${CANARY}`)
    const stored = (await client.listProviders({})).providers.find(({ id }) => id === 'mine')
    expect(stored).toMatchObject({ label: 'Mine', builtIn: false, keyStored: true })
    await reader.waitFor((frame) => frame.event === 'providers-changed')
    const backup = await takeBackup()
    const places = {
      answers: JSON.stringify(answers),
      events: JSON.stringify(reader.frames),
      log: server.output(),
      backup,
      files: await textOfFiles(home),
    }
    reader.close()
    for (const [place, text] of Object.entries(places)) {
      expect({ place, size: text.length > 100, found: text.includes(CANARY) }).toEqual({
        place,
        size: true,
        found: false,
      })
    }
  })

  test('[RU41] a key is stored after one real request, deleted on request, and audited without its value', async () => {
    const { client } = server
    await save()
    expect(await client.storeProviderKey({ params, body: { key: GOOD_KEY } })).toEqual({
      stored: true,
      check: { result: 'ok', detail: null },
    })
    expect(await client.checkProviderKey({ params })).toEqual({ result: 'ok', detail: null })
    await client.removeProviderKey({ params })
    const listed = (await client.listProviders({})).providers.find(({ id }) => id === 'mine')
    expect(listed?.keyStored).toBe(false)
    await client.removeProvider({ params })
    expect((await client.listProviders({})).providers.some(({ id }) => id === 'mine')).toBe(false)
    const { entries } = await client.listAudit({ query: { limit: 4 } })
    expect(entries.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`).reverse()).toEqual([
      'operator provider.save mine',
      'operator provider.store-key mine',
      'operator provider.remove-key mine',
      'operator provider.remove mine',
    ])
  })

  test('[RU42] refuses an unknown, built-in or wrongly described provider', async () => {
    const { client } = server
    const nobody = { params: { providerId: 'nobody' } }
    for (const call of ['checkProviderKey', 'removeProviderKey', 'removeProvider'] as const)
      await expect(client[call](nobody), call).rejects.toMatchObject({ code: 'provider_not_found' })
    const builtIn = (await client.listProviders({})).providers.find((row) => row.builtIn && !row.scripted)!
    await expect(client.removeProvider({ params: { providerId: builtIn.id } })).rejects.toMatchObject({
      code: 'provider_built_in',
    })
    for (const baseUrl of ['', 'nowhere', 'ftp://x', 'file:///etc/passwd', 'http://me:pw@x/v1', 'https://x/v1?key=1']) {
      await expect(client.saveProvider({ params, body: { label: 'Mine', baseUrl } }), baseUrl).rejects.toMatchObject({
        code: 'body_invalid',
      })
    }
    await expect(
      client.saveProvider({ params: { providerId: 'Not/An Id' }, body: { label: 'x', baseUrl: provider.baseUrl } }),
    ).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(client.setModelDefaults({ body: { defaultModel: 'nobody/nothing' } })).rejects.toMatchObject({
      code: 'model_unknown',
    })
  })

  test('[RU50] one call creates the demo team, which runs the model without a key', async () => {
    const { client } = server
    const { demoModel } = await client.listProviders({})
    const { teamId, agentIds } = await client.makeDemoTeam({})
    expect((await client.getTeam({ params: { teamId } })).memberIds.toSorted()).toEqual(agentIds.toSorted())
    for (const agentId of agentIds)
      expect((await client.getAgent({ params: { agentId } })).execConfig).toEqual({ model: demoModel })
  })

  async function takeBackup(): Promise<string> {
    const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite`, databaseUrl: database.options.databaseUrl })
    const file = join(home, 'test.backup.gz')
    await writeBackup({ db: store.db, home, file })
    await store.close()
    return gunzipSync(await readFile(file)).toString('latin1')
  }
})

function refusal({ code, message, details }: ApiError) {
  return { code, message, details }
}

/** Accepts one key, and repeats every other in its refusal, as careless servers do. */
async function startProvider() {
  const seen: string[] = []
  const http = createServer((request, response) => {
    const key = request.headers.authorization ?? ''
    seen.push(key)
    const good = key === `Bearer ${GOOD_KEY}`
    response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(good ? { data: [{ id: 'one' }] } : { error: { message: `wrong key ${key}` } }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return { http, seen, baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1` }
}

async function textOfFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}
