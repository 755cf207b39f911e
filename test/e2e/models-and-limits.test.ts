import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'
import { textLines } from './text-lines.ts'

const KEY = 'the-right-key'

let fixture: PageFixture
let provider: Server
let baseUrl: string

beforeAll(async () => {
  provider = createServer((request, response) => {
    const known = request.headers.authorization === `Bearer ${KEY}`
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' })
    response.end(known ? '{"data":[{"id":"lab-1"}]}' : '{"error":{"message":"that key is not known here"}}')
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  fixture = await startPage()
})
afterEach(async () => {
  // Also after a failed test: every open page uses connections, and a browser has only six.
  await fixture.closePages()
  fixture.expectCalm()
})
afterAll(async () => {
  await fixture.close()
  await new Promise((resolve) => provider.close(resolve))
})

test('[PG94] a custom provider is added, with problems shown at their fields, and removed again', async () => {
  const page = await fixture.open('/settings/models')
  await page.getByRole('button', { name: 'Add your own provider' }).click()
  await page.getByLabel('Name').fill('My lab')
  await page.getByLabel('Base URL').fill('ftp://nowhere')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Must be an http or https address.').waitFor()
  await page.getByLabel('Base URL').fill(baseUrl)
  await page.getByLabel('Models').fill('lab-1\n')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'No key needed' }).click()
  const card = page.getByRole('listitem', { name: 'My lab' })
  await card.getByText(baseUrl).waitFor()
  await card.getByRole('button', { name: 'Remove this provider' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await card.waitFor({ state: 'detached' })
  expect(await mine()).toBeUndefined()
  await page.close()
})

test('[PG95] a refused key is stored only on request, a valid one at once, and neither is ever shown', async () => {
  const { client } = fixture.server
  await client.saveProvider({ params: { providerId: 'my-lab' }, body: { label: 'My lab', baseUrl } })
  const page = await fixture.open('/settings/models')
  const card = page.getByRole('listitem', { name: 'My lab' })
  await card.getByRole('button', { name: 'Paste a key' }).click()
  const field = page.getByLabel('Key for My lab')
  await field.fill('a-wrong-key')
  expect(await field.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: 'Test and store' }).click()
  await page.getByText(/Not stored\. My lab refused this key/).waitFor()
  expect((await mine())?.keyStored).toBe(false)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Store anyway' }).click()
  await card.getByText('A key is stored.').waitFor()

  await card.getByRole('button', { name: 'Replace the key' }).click()
  await page.getByLabel('Key for My lab').fill(KEY)
  await page.getByRole('button', { name: 'Test and store' }).click()
  await page.getByText('Stored the key for My lab. It works.').waitFor()
  expect(await page.content()).not.toContain(KEY)
  expect(JSON.stringify(await client.listProviders({}))).not.toContain(KEY)
  await page.close()
})

async function mine() {
  return (await fixture.server.client.listProviders({})).providers.find(({ id }) => id === 'my-lab')
}

test('[PG179] after a dialog, focus returns to the element that opened it, or beside the removed one', async () => {
  const page = await fixture.open('/settings/models')
  const card = page.getByRole('listitem', { name: 'My lab' })
  const focused = () => page.evaluate<string>('document.activeElement?.textContent')
  await card.getByRole('button', { name: 'Remove the key' }).click()
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('Remove the key')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await card.getByText('No key is stored.').or(card.getByText('Needs no key.')).waitFor()
  await expect.poll(focused).toBe('Paste a key')
  await card.getByRole('button', { name: 'Paste a key' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(focused).toBe('Paste a key')
  await card.getByRole('button', { name: 'Remove this provider' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await card.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate<string>("document.activeElement?.closest('main *')?.tagName")).toBeTruthy()
  await page.close()
})

test('[PG93] the default model and an alias are saved together and are still there after a reload', async () => {
  const { client } = fixture.server
  const demo = (await client.listProviders({})).demoModel!
  const page = await fixture.open('/settings/models')
  await page.getByLabel('Default model').selectOption(demo)
  await page.getByRole('button', { name: 'Add a short name' }).click()
  await page.getByLabel('Short name 1', { exact: true }).fill('quick')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Choose the model that quick stands for.').waitFor()
  await page.getByLabel('Model for short name 1').selectOption(demo)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved the default model').waitFor()
  expect((await client.listProviders({})).defaults).toMatchObject({ defaultModel: demo, aliases: { quick: demo } })
  await page.reload()
  await expect.poll(() => page.getByLabel('Short name 1', { exact: true }).inputValue()).toBe('quick')
  await page.close()
})

test('[PG96] limits are changed in minutes and dollars and apply at once', async () => {
  const { client } = fixture.server
  const page = await fixture.open('/settings/limits')
  await page.getByLabel('Time', { exact: true }).fill('ninety')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/Enter a number of minutes/).waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Time', { exact: true }).fill('90')
  await page.getByLabel('Each Boo').fill('2.50')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Limits saved').waitFor()
  const { run, daily } = await client.getLimits({})
  expect([run.wallMs, daily.agentUsd]).toEqual([90 * 60_000, 2.5])
  await page.close()
})

test('[PG180] an invalid limit shows the problem at its field, follows the typing, and loses nothing', async () => {
  const { client } = fixture.server
  const before = await client.getLimits({})
  const page = await fixture.open('/settings/limits')
  const calls = page.getByLabel('Model calls')
  const cost = page.getByLabel('Cost', { exact: true })
  await cost.fill('7')
  for (const [typed, words] of [
    ['', 'A limit is required'],
    ['0', 'Must be above 0'],
    ['-4', 'Must be above 0'],
    ['2.5', 'Must be a whole number of calls'],
    ['99999999999999999999', 'Must be at most 100,000 calls'],
  ] as const) {
    await calls.fill(typed)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: words }).waitFor()
    await calls.and(page.locator(':focus')).waitFor()
    expect([await calls.inputValue(), await cost.inputValue()]).toEqual([typed, '7'])
  }
  expect((await client.getLimits({})).run).toEqual(before.run)
  await calls.fill('120')
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Limits saved').waitFor()
  expect((await client.getLimits({})).run).toMatchObject({ modelCalls: 120, usd: 7 })
  expect(await page.evaluate<string>('document.activeElement?.tagName')).toBe('INPUT')
  await page.close()
})

test('[PG97] today’s spending is shown with names, beside its budget', async () => {
  const { client } = fixture.server
  await client.setLimits({ body: { daily: { agentUsd: 3.25 } } })
  const demoModel = (await client.listProviders({})).demoModel!
  const ada = await client.createAgent({ body: { name: 'Ada', execConfig: { model: demoModel } } })
  await client.sendMessage({ params: { agentId: ada.id }, body: { text: 'Hello', id: 'first-message' } })
  await expect.poll(async () => (await client.listRuns({})).runs[0]?.outcome).toBe('completed')
  const page = await fixture.open('/settings/limits')
  const row = page.getByRole('row').filter({ hasText: 'Ada' })
  await row.getByText('$3.25').waitFor()
  expect(await row.getByRole('cell').first().textContent()).toBe('1')
  await page.close()
})

test('[PG174] on a phone the amounts spent stay on one line', async () => {
  const { client } = fixture.server
  await client.setLimits({ body: { daily: { serverUsd: 999_999.5 } } })
  const model = (await client.listProviders({})).demoModel!
  const name = 'Bartholomaeus-Maximilian-the-Third-of-his-Name'
  const { id: agentId } = await client.createAgent({ body: { name, execConfig: { model } } })
  await client.sendMessage({ params: { agentId }, body: { text: 'Hello' } })
  const spent = async () => (await client.getLimits({})).spentToday.byAgent.some((one) => one.agentId === agentId)
  await expect.poll(spent).toBe(true)
  const context = await fixture.newContext({ width: 390, height: 780 })
  const page = await fixture.open('/settings/limits', context)
  await page.getByRole('row').filter({ hasText: name }).waitFor()
  const figures = await page.getByRole('cell').or(page.getByRole('columnheader')).filter({ visible: true }).all()
  expect(figures.length).toBeGreaterThan(6)
  expect(await Promise.all(figures.map(textLines))).toEqual(figures.map(() => 1))
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await context.close()
})
