import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../packages/server/src/store/test-stores.ts'
import { type FeedFrame, followFeed } from '../api/feed-reader.ts'
import { isSoak, testSeed } from '../seed.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { createRandom, type Random } from './random.ts'

const ROUNDS = { sqlite: isSoak ? 200 : 5, postgres: isSoak ? 40 : 3 }
const WRITERS = 4

/** Writes that the server has acknowledged and that must survive any crash. */
interface Acknowledged {
  readonly agents: Map<string, string>
  readonly removed: Set<string>
  readonly souls: Map<string, { revision: number; content: string }>
}

describe.each(testEngines())('kill -9 on $engine', ({ engine, createDatabase }) => {
  test(
    `[LV8] ${ROUNDS[engine]} crashes under load lose no acknowledged write, and the feed has no gap and no duplicate`,
    async () => {
      const random = createRandom(testSeed)
      const database = await createDatabase()
      const home = await temporaryHome()
      const acknowledged: Acknowledged = { agents: new Map(), removed: new Set(), souls: new Map() }
      const feed: FeedFrame[] = []
      for (let round = 0; round < ROUNDS[engine]; round++) {
        const server = await startServer({ home, databaseUrl: database.options.databaseUrl })
        await expectAllThere(server, acknowledged)
        await crashUnderLoad(server, acknowledged, feed, random)
      }
      const server = await startServer({ home, databaseUrl: database.options.databaseUrl })
      await expectAllThere(server, acknowledged)
      await readToTheEnd(server, feed)
      expectOneLog(feed, acknowledged)
      expect(await server.stop()).toBe(0)
      await removeHome(home)
      await database.dispose()
    },
    isSoak ? 1_800_000 : 120_000,
  )
})

async function crashUnderLoad(
  server: ServerProcess,
  acknowledged: Acknowledged,
  feed: FeedFrame[],
  random: Random,
): Promise<void> {
  const reader = await followFeed(server, feed.at(-1)?.id ?? 0)
  let alive = true
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    // Each writer has its own agents, so the last acknowledged state must be stored.
    while (alive) await writeOnce(server, acknowledged, random, writer).catch(() => pause(1))
  })
  await pause(random.below(400))
  await server.kill()
  alive = false
  await Promise.all(writers)
  await reader.ended
  feed.push(...reader.frames.filter((frame) => !frame.event.startsWith('feed-')))
  expect(reader.frames.map((frame) => frame.event)).not.toContain('feed-reset')
}

async function writeOnce(
  server: ServerProcess,
  acknowledged: Acknowledged,
  random: Random,
  writer: number,
): Promise<void> {
  const mine = [...acknowledged.agents].filter(([, name]) => name.startsWith(`w${writer}-`)).map(([id]) => id)
  const agentId = mine[random.below(mine.length || 1)]
  const what = random.below(10)
  if (agentId === undefined || what < 4) {
    const name = `w${writer}-${random.below(1e9)}`
    const made = await server.client.createAgent({ body: { name } })
    acknowledged.agents.set(made.id, name)
  } else if (what < 8) {
    const params = { agentId, fileName: 'SOUL.md' as const }
    const base = (await server.client.readAgentFile({ params })).revision
    const content = `soul ${random.below(1e9)}`
    const written = await server.client.writeAgentFile({ params, body: { content, baseRevision: base } })
    acknowledged.souls.set(agentId, { revision: written.revision, content })
  } else if (what === 8) {
    const name = `w${writer}-${random.below(1e9)}`
    await server.client.updateAgent({ params: { agentId }, body: { name } })
    acknowledged.agents.set(agentId, name)
  } else {
    // After a request to delete it, the agent may be deleted; after the response, it must be.
    acknowledged.agents.delete(agentId)
    acknowledged.souls.delete(agentId)
    await server.client.deleteAgent({ params: { agentId } })
    acknowledged.removed.add(agentId)
  }
}

async function expectAllThere(server: ServerProcess, { agents, removed, souls }: Acknowledged): Promise<void> {
  const fleet = new Map((await server.client.listAgents({})).agents.map((agent) => [agent.id, agent]))
  for (const id of agents.keys()) expect({ id, there: fleet.has(id) }).toEqual({ id, there: true })
  for (const id of removed) expect({ id, there: fleet.has(id) }).toEqual({ id, there: false })
  for (const [agentId, soul] of souls) {
    const params = { agentId, fileName: 'SOUL.md' as const }
    const kept = await server.client.readAgentFile({ params, query: { revision: soul.revision } })
    expect(kept.content).toBe(soul.content)
  }
}

async function readToTheEnd(server: ServerProcess, feed: FeedFrame[]): Promise<void> {
  const end = Number((await server.client.getStatus({})).lastEventId)
  const from = feed.at(-1)?.id ?? 0
  if (end === from) return
  const reader = await followFeed(server, from)
  await reader.waitFor((frame) => frame.id === end && !frame.event.startsWith('feed-'))
  feed.push(...reader.frames.filter((frame) => !frame.event.startsWith('feed-')))
  reader.close()
}

/** Checks that the feed over all crashes is one log (1, 2, 3, …) with every acknowledged write. */
function expectOneLog(feed: readonly FeedFrame[], { agents, removed, souls }: Acknowledged): void {
  expect(feed.map((frame) => frame.id)).toEqual(feed.map((_, n) => n + 1))
  const created = new Set(
    feed.filter((frame) => frame.event === 'agent-upserted').map((frame) => (frame.data.agent as { id: string }).id),
  )
  const gone = new Set(feed.filter((frame) => frame.event === 'agent-removed').map((frame) => frame.data.agentId))
  const written = new Set(
    feed
      .filter((frame) => frame.event === 'agent-file-written')
      .map((frame) => `${frame.data.agentId}/${frame.data.revision}`),
  )
  for (const id of [...agents.keys(), ...removed]) expect(created.has(id)).toBe(true)
  for (const id of removed) expect(gone.has(id)).toBe(true)
  for (const [agentId, { revision }] of souls) expect(written.has(`${agentId}/${revision}`)).toBe(true)
}
