import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, startServer, temporaryHome } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

describe.each(testEngines())('A restart on $engine', ({ createDatabase }) => {
  test('[RG44] after a restart, an agent that was running has the status unknown, and readers receive the change', async () => {
    const database = await createDatabase()
    const home = await temporaryHome()
    const options = { home, databaseUrl: database.options.databaseUrl ?? null }
    let server = await startServer(options)
    const running = await server.client.createAgent({ body: { name: 'Running' } })
    const idle = await server.client.createAgent({ body: { name: 'Idle' } })
    const lastEventId = Number((await server.client.getStatus({})).lastEventId)
    await server.kill()

    const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite`, databaseUrl: database.options.databaseUrl })
    await store.agents.setStatus(running.id, 'running', 1_700_000_000_000)
    await store.close()

    server = await startServer(options)
    expect(await server.client.getAgent({ params: { agentId: running.id } })).toMatchObject({
      status: 'unknown',
      statusAt: 1_700_000_000_000,
    })
    expect((await server.client.getAgent({ params: { agentId: idle.id } })).status).toBe('idle')
    const reader = await followFeed(server, lastEventId)
    const told = await reader.waitFor((frame) => frame.event === 'agent-status')
    expect(told.data).toMatchObject({ agentId: running.id, status: 'unknown', statusAt: 1_700_000_000_000 })
    reader.close()
    await server.stop()
    await removeHome(home)
    await database.dispose()
  })
})

test('[SE23] a server without its database reports it and exits', async () => {
  const home = await temporaryHome()
  const outcome = await startServer({ home, databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }).catch(
    (error: Error) => error.message,
  )
  expect(outcome).toMatch(/ended with 1 before it was ready:\n(.*\n)*clawboo: .+\n$/)
  expect(outcome).not.toMatch(/\n\s+at /)
  await removeHome(home)
})

test('[SE23] a server that cannot create its home folder reports it and exits', async () => {
  const home = await temporaryHome()
  const outcome = await startServer({ home, env: { CLAWBOO_HOME: '/dev/null/home' } }).catch(
    (error: Error) => error.message,
  )
  expect(outcome).toMatch(/ended with 1 .*\nclawboo: .*\/dev\/null\/home/s)
  expect(outcome).not.toMatch(/\n\s+at /)
  await removeHome(home)
})

test('[SE23] reports in one line that a home folder contains foreign files', async () => {
  for (const name of ['token', 'server.lock', 'clawboo.sqlite']) {
    const home = await temporaryHome()
    await mkdir(join(home, name))
    const outcome = await startServer({ home }).catch((error: Error) => error.message)
    expect(outcome).toMatch(/ended with 1 before it was ready:\nclawboo: .+\n$/)
    await removeHome(home)
  }
})
