import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
  for (const name of ['Ada', 'Kit']) await fixture.server.client.createAgent({ body: { name } })
})
// A page that reconnects while the server is still starting gets a 503.
afterEach(() => fixture.expectCalm(/Failed to load resource: (net::ERR_|.* status of 503)/))
afterAll(() => fixture.close())

test('[PG33] while the server is unreachable the page shows since when, stays readable, and keeps the text of a failed write', async () => {
  const list = await fixture.open('/')
  await list.getByRole('link', { name: /Ada/ }).waitFor()
  const form = await fixture.open('/new')
  await form.getByLabel('Name').fill('Typed while offline')
  await fixture.restart(async () => {
    await form.getByRole('button', { name: 'Create Boo' }).click()
    await form.getByText("Couldn't save. The server isn't responding. What you typed is still here").waitFor()
    expect(await form.getByLabel('Name').inputValue()).toBe('Typed while offline')
    await list.getByText(/Server offline for \d+ s\. Showing data from \d\d:\d\d/).waitFor()
    await list
      .getByRole('navigation', { name: 'Places' })
      .getByText(/offline for \d+ s/)
      .waitFor()
    await list.getByRole('link', { name: /Ada/ }).click()
    await list.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
    await list.getByRole('link', { name: 'Fleet' }).click()
  })
  await list.getByRole('navigation', { name: 'Places' }).getByText('Live').waitFor()
  expect(await list.getByText(/Showing data from/).count()).toBe(0)
  await form.getByRole('button', { name: 'Create Boo' }).click()
  await form.getByRole('heading', { level: 1, name: 'Typed while offline' }).waitFor()
  await list.getByRole('link', { name: /Typed while offline/ }).waitFor()
  await Promise.all([list.close(), form.close()])
})

test('[PG34] after a kill and a restart nothing is missing and nothing is duplicated', async () => {
  const page = await fixture.open('/')
  await page.getByRole('link', { name: /Ada/ }).waitFor()
  // The other program writes right after the restart, before the page has reconnected.
  await fixture.restart()
  const { client } = fixture.server
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, at) => client.createAgent({ body: { name: `Late ${at + 1}` } })),
  )
  await client.updateAgent({ params: { agentId: made[0]!.id }, body: { name: 'Late and renamed' } })
  await client.deleteAgent({ params: { agentId: made[1]!.id } })
  await page.getByRole('navigation', { name: 'Places' }).getByText('Live').waitFor()
  await page.getByRole('link', { name: /Late and renamed/ }).waitFor()
  const { agents } = await client.listAgents({})
  const shown = async () =>
    (await page.getByRole('list', { name: 'Boos' }).getByRole('link').allTextContents())
      .map((text) => agents.find((agent) => text.startsWith(agent.displayName))?.id ?? text)
      .sort()
  await expect.poll(shown).toEqual(agents.map((agent) => agent.id).sort())
  await page.close()
})

test('[PG43] a hidden tab closes its connection and catches up when it is shown', async () => {
  const { client } = fixture.server
  const page = await fixture.context.newPage()
  await page.clock.install()
  await page.goto(fixture.server.url)
  const places = page.getByRole('navigation', { name: 'Places' })
  await places.getByText('Live').waitFor()
  const readers = async () => (await client.getStatus({})).readers
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await expect.poll(readers).toBe(1)
  await show('hidden')
  await page.clock.fastForward(31_000)
  await expect.poll(readers).toBe(0)
  await client.createAgent({ body: { name: 'Made meanwhile' } })
  await show('visible')
  await page.getByRole('link', { name: /Made meanwhile/ }).waitFor()
  await expect.poll(readers).toBe(1)
  await page.close()
})
