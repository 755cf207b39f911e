import { describe, expect, test } from 'vitest'
import { testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, startServer } from '../server-process.ts'
import { followFeed } from './feed-reader.ts'

const shared = testEngines().filter(({ engine }) => engine === 'postgres')

test.runIf(shared.length === 0)('[LV11] (not covered by this run: PostgreSQL is missing)', () => {
  console.error('*** NOT COVERED BY THIS RUN: two servers on one database, because PostgreSQL is missing')
})

describe.each(shared)('Two servers on one $engine database', ({ createDatabase }) => {
  test('[LV11] a write through one server is readable on the other at once, and in its feed', async () => {
    const database = await createDatabase()
    const [here, there] = await Promise.all([
      startServer({ databaseUrl: database.options.databaseUrl }),
      startServer({ databaseUrl: database.options.databaseUrl }),
    ])
    const reader = await followFeed(there)
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    expect((await there.client.listAgents({})).agents).toEqual([])
    const made: string[] = []
    for (let n = 0; n < 20; n++) {
      made.push((await here.client.createAgent({ body: { name: `Boo ${n}` } })).id)
      expect((await there.client.listAgents({})).agents.map((agent) => agent.id)).toEqual(made)
    }
    await reader.waitFor((frame) => (frame.data.agent as { id?: string })?.id === made.at(-1))
    const told = reader.frames.slice(1)
    expect(told.map((frame) => (frame.data.agent as { id: string }).id)).toEqual(made)
    expect(told.map((frame) => frame.id)).toEqual(told.map((_, n) => told[0]!.id + n))
    const last = await here.client.createAgent({ body: { name: 'Last words' } })
    await here.kill()
    await reader.waitFor((frame) => (frame.data.agent as { id?: string })?.id === last.id)
    reader.close()
    for (const server of [here, there]) {
      await server.stop()
      await removeHome(server.home)
    }
    await database.dispose()
  })
})
