import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(async () => {
  // Also after a failed test: every open page uses connections, and a browser has only six.
  await fixture.closePages()
  fixture.expectCalm()
})
afterAll(() => fixture.close())

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message Pip' })
const transcriptHas = (page: Page, words: string | RegExp) => page.locator('#main').getByText(words).first().waitFor()

async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words)
  await composer(page).press('Enter')
}

test('[PG90] an empty fleet offers the demo team, a key and the programs on this machine, and axe finds nothing', async () => {
  const page = await fixture.open('/')
  for (const title of ['Try the demo team', 'Paste a provider key', "Use what's on this computer"]) {
    await page.getByRole('heading', { name: title }).waitFor()
  }
  await page.getByText('scripted, not an AI').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Ollama' }).getByRole('button').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'make a Boo now' }).click()
  await page.getByRole('heading', { name: 'New Boo' }).waitFor()
  await page.close()
})

test('[PG100] a dismissed first-run screen does not return in this browser, and the page shows how to create a Boo', async () => {
  const context = await fixture.newContext()
  const page = await fixture.open('/', context)
  // The list of programs moves the button down when it loads.
  await expect.poll(() => page.getByText(/^(Loading|Refreshing)/).count()).toBe(0)
  await page.getByRole('button', { name: 'Skip and look around' }).click()
  await page.getByText('No Boos yet', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Create your first Boo' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Try the demo team' }).count()).toBe(0)
  await context.close()
})

test('[PG173] a key stored without a successful test is marked as untested, also after a reload', async () => {
  const { client } = fixture.server
  const lab = createServer((_, response) => response.writeHead(401).end('{}'))
  await new Promise<void>((resolve) => lab.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(lab.address() as AddressInfo).port}/v1`
  await client.saveProvider({
    params: { providerId: 'lab' },
    body: { label: 'Lab', baseUrl, models: [{ id: 'lab-1' }] },
  })
  const page = await fixture.open('/')
  await page.getByRole('button', { name: 'Lab', exact: true }).click()
  await page.getByLabel('Key for Lab').fill('a-wrong-key')
  await page.getByRole('button', { name: 'Test and store' }).click()
  await page.getByRole('button', { name: 'Store anyway' }).click()
  await page.getByText('The key for Lab is stored, but Lab refused it.').waitFor()
  expect(await page.getByText('is set up').count()).toBe(0)
  await page.reload()
  await page.getByText('A key for Lab is stored.').waitFor()
  await page.getByRole('button', { name: 'Create your first Boo' }).waitFor()
  await page.getByRole('button', { name: 'Check it' }).click()
  await page.getByText(/^The key for Lab is stored(,| and works)/).waitFor()
  expect(await violations(page)).toEqual([])
  await page.close()
  await client.removeProvider({ params: { providerId: 'lab' } })
  await new Promise((resolve) => lab.close(resolve))
})

test('[PG91] one button creates the demo team and opens its room with a first message in the field', async () => {
  const page = await fixture.open('/')
  await page.getByText('scripted, not an AI', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Try the demo team' }).click()
  const field = page.getByRole('textbox', { name: 'Message Demo team' })
  await field.and(page.locator(':focus')).waitFor()
  expect(await field.inputValue()).not.toBe('')
  expect(new URL(page.url()).pathname).toMatch(/^\/teams\/[^/]+\/room$/)
  await page.close()
})

test('[PG92] without a key: a conversation, a steered run, an approved command and the file it wrote', async () => {
  const { agents } = await fixture.server.client.listAgents({})
  const pip = agents.find(({ displayName }) => displayName === 'Pip')!
  const execConfig = { ...(pip.execConfig as object), exec: { ask: 'on-miss' } }
  await fixture.server.client.updateAgent({ params: { agentId: pip.id }, body: { execConfig } })
  const page = await fixture.open(`/agents/${pip.id}`)
  await say(page, 'Run `date`')
  await page.getByRole('button', { name: 'Allow once' }).waitFor()
  await page.getByRole('button', { name: 'Steer' }).waitFor()
  await say(page, 'Also write a note about tea')
  await page.getByRole('button', { name: 'Allow once' }).click()
  await transcriptHas(page, /You added: .*a note about tea/)
  await transcriptHas(page, 'note-tea.md')
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })

  const files = globSync('runtimes/**/note-tea.md', { cwd: fixture.server.home })
  expect(files).toHaveLength(1)
  expect(await readFile(join(fixture.server.home, files[0]!), 'utf8')).toContain('tea')
  await page.getByRole('link', { name: 'Open note-tea.md' }).click()
  await page.getByRole('region', { name: 'Text of note-tea.md' }).getByText(/tea/).first().waitFor()
  await page
    .getByRole('region', { name: 'Workspace' })
    .getByRole('link', { name: /note-tea\.md/ })
    .waitFor()
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.getByText('Run `date`').first().waitFor()
  await page.close()
})

test('[PG99] waiting items are counted, shown wherever the Boo is shown, and answered once for every open page', async () => {
  const { client } = fixture.server
  const { agents } = await client.listAgents({})
  const pip = agents.find(({ displayName }) => displayName === 'Pip')!
  const [desk, fleet, conversation] = await Promise.all([
    fixture.open('/needs-you'),
    fixture.open('/'),
    fixture.open(`/agents/${pip.id}`),
  ])
  await say(conversation, 'Run `whoami`')
  const item = desk.getByRole('listitem').filter({ hasText: 'whoami' }).filter({ hasText: 'Needs approval because' })
  await item.getByRole('button', { name: 'Allow once' }).waitFor()
  expect(await violations(desk)).toEqual([])
  await fleet.getByRole('link', { name: 'Needs you 1 open' }).waitFor()
  await fleet.getByRole('link', { name: /Pip.*Needs you/ }).waitFor()
  await conversation.getByRole('button', { name: 'Allow once' }).waitFor()

  await item.getByRole('button', { name: 'Deny' }).click()
  await desk.getByText("You're all caught up").waitFor()
  await conversation.getByRole('button', { name: 'Allow once' }).waitFor({ state: 'detached' })
  await fleet.getByRole('link', { name: 'Needs you', exact: true }).waitFor()
  await desk.getByText(/^Answered/).click()
  await desk
    .getByRole('list', { name: 'Answered' })
    .getByText(/Denied by/)
    .waitFor()
  const [settled] = (await client.listAttention({ query: { state: 'settled' } })).items
  await expect(
    client.answerAttention({ params: { itemId: settled!.id }, body: { answer: 'allow-once' } }),
  ).rejects.toMatchObject({ code: 'attention_settled' })
  await Promise.all([desk.close(), fleet.close(), conversation.close()])
})

test('[PG178] answers have the same order in Needs you and in the run, and a permanent answer shows what it covers', async () => {
  const { client } = fixture.server
  const model = (await client.listProviders({})).demoModel!
  const ids: string[] = []
  for (const name of ['Ono', 'Pia']) {
    const execConfig = { model, exec: { ask: 'on-miss' } }
    const { id } = await client.createAgent({ body: { name, execConfig } })
    await client.sendMessage({ params: { agentId: id }, body: { text: 'Run `uname`' } })
    ids.push(id)
  }
  const open = async () => (await client.listAttention({ query: { state: 'open' } })).items
  await expect.poll(async () => (await open()).length).toBe(2)
  const desk = await fixture.open('/needs-you')
  const items = desk.getByRole('list', { name: 'Open' }).getByRole('listitem')
  await expect.poll(() => items.count()).toBe(2)
  const words = ['Allow once', 'Always allow', 'Deny']
  expect(await items.first().getByRole('button').allTextContents()).toEqual(words)
  await items
    .first()
    .getByText(/^Always allow covers exactly this command/)
    .waitFor()
  const run = await fixture.open(`/runs/${(await open())[0]!.runId}`)
  const asked = run.getByRole('region', { name: 'Needs you' })
  await asked.getByRole('button', { name: 'Deny' }).waitFor()
  expect(await asked.getByRole('button').allTextContents()).toEqual(words)
  await run.close()
  await desk.close()
})

test('[PG179] after an answer, focus is on the next item, or on the heading when none is left', async () => {
  const desk = await fixture.open('/needs-you')
  const items = desk.getByRole('list', { name: 'Open' }).getByRole('listitem')
  await expect.poll(() => items.count()).toBe(2)
  await items.first().getByRole('button', { name: 'Deny' }).focus()
  await desk.keyboard.press('Enter')
  await expect.poll(() => items.count()).toBe(1)
  await items.first().getByRole('group', { name: 'Answers' }).and(desk.locator(':focus')).waitFor()
  await desk.keyboard.press('Tab')
  await items.first().getByRole('button', { name: 'Allow once' }).and(desk.locator(':focus')).waitFor()
  await items.first().getByRole('button', { name: 'Deny' }).click()
  await desk.getByText("You're all caught up").waitFor()
  await desk.getByRole('heading', { level: 1 }).and(desk.locator(':focus')).waitFor()
  await desk.close()
})
