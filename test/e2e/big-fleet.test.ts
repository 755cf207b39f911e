import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { startServer } from '../server-process.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

const COUNT = 10_000
let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage({ seed: fillHome })
})
afterAll(() => fixture.close())

/** Creates one Boo through a server, then inserts thousands of copies of its record. */
async function fillHome(home: string): Promise<void> {
  const server = await startServer({ home })
  const { team } = await server.client.createTeam({ body: { name: 'Crowd' } })
  const model = await server.client.createAgent({ body: { name: 'Boo 1' } })
  await server.stop()
  const store = await openStore({ sqliteFile: join(home, 'clawboo.sqlite') })
  await store.transaction(async (tx) => {
    for (let number = 2; number <= COUNT; number++) {
      await tx.agents.insert({
        id: `boo-${number}`,
        sourceAgentId: `boo-${number}`,
        sourceId: model.sourceId,
        runtime: model.runtime,
        name: `Boo ${number}`,
        teamId: number % 2 === 0 ? team.id : null,
        createdAt: model.createdAt + number,
      })
    }
  })
  await store.close()
}

test('[PG14] with ten thousand Boos only the visible rows render, from first to last', async () => {
  const page = await fixture.open('/?group=none')
  await page.getByText('10,000 Boos on 1 runtime').waitFor()
  const rows = page.getByRole('list', { name: 'Boos' }).getByRole('link')
  await page.getByRole('link', { name: /^Boo 1 / }).waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await page.locator('[data-virtual-list]').evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await page.getByRole('link', { name: /^Boo 10000/ }).waitFor()
  expect(await rows.count()).toBeLessThan(60)
  await page.getByLabel('Search by name or role').fill('9998')
  await page.getByRole('link', { name: /^Boo 9998/ }).waitFor()
  expect(await rows.count()).toBe(1)
  await page.close()
})

test('[PG14] the keyboard reaches rows that are not rendered, and Back returns to the same row', async () => {
  const page = await fixture.open('/?group=none')
  await page.getByRole('link', { name: /^Boo 1 / }).waitFor()
  for (let step = 0; step < 40; step++) await page.keyboard.press('j')
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toMatch(/^Boo 40/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Boo 40' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: /^Boo 40/ }).waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toMatch(/^Boo 41/)
  await page.close()
})

test('[PG14] a burst of changes updates a large fleet without fetching it again', async () => {
  const page = await fixture.open('/?group=none')
  await page.getByRole('link', { name: /^Boo 1 / }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const { client } = fixture.server
  await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      client.updateAgent({ params: { agentId: `boo-${at + 2}` }, body: { avatarSeed: `again ${at}` } }),
    ),
  )
  await client.createAgent({ body: { name: 'A newcomer' } })
  await page.getByText('10,001 Boos on 1 runtime').waitFor()
  expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([])
  await page.close()
})
