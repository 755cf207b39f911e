import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from '../../../../../test/e2e/axe-violations.ts'
import { type PageFixture, startPage } from '../../../../../test/e2e/page-fixture.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import { openConnection } from './gateway/test-connection.ts'
import { startTestGateway, type TestGateway } from './stand-in/test-gateway.ts'

let gateway: TestGateway
let fixture: PageFixture
let kit: string
beforeAll(async () => {
  gateway = await startTestGateway({ agents: [{ id: 'kit', name: 'Kit' }] })
  fixture = await startPage()
  const { client } = fixture.server
  // From here on, native Boos call a scripted model.
  await client.makeDemoTeam({})
  const body = { address: gateway.url, secret: gateway.token }
  await client.connectSource({ params: { sourceId: OPENCLAW_ID }, body })
  const found = async () => (await client.listAgents({ query: { runtime: OPENCLAW_ID } })).agents
  await client.syncSource({ params: { sourceId: OPENCLAW_ID } })
  kit = (await found()).find(({ displayName }) => displayName === 'Kit')!.id
  const { teams } = await client.listTeams({})
  await client.updateAgent({ params: { agentId: kit }, body: { teamId: teams[0]!.id } })
})
// A browser allows few connections per server, and every page keeps one open.
afterEach(() => fixture.closePages())
afterAll(async () => {
  await fixture?.close()
  await gateway?.close()
})

test('[PG293] a conversation with a Gateway’s Boo offers the Gateway’s models, and none is labelled scripted', async () => {
  const page = await fixture.open(`/agents/${kit}`)
  const model = page.getByRole('combobox', { name: 'Model' })
  const options = ['As set in OpenClaw', 'scripted/boo', 'scripted/other']
  await expect.poll(() => model.locator('option').allInnerTexts()).toEqual(options)
  expect(await page.getByText('not an AI').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Set up a model' }).count()).toBe(0)
  await model.selectOption('scripted/other')
  await page.getByText('Model changed').waitFor()
  const { client } = fixture.server
  const { runId } = await client.sendMessage({ params: { agentId: kit }, body: { text: 'play turn-tool' } })
  await expect.poll(async () => (await client.getRun({ params: { runId: runId! } })).run.outcome).toBe('completed')
  const key = [...gateway.sessions.byKey.keys()].find((each) => each.startsWith('agent:kit:'))!
  expect(gateway.sessions.byKey.get(key)!.model).toBe('scripted/other')
  await page.getByText('write note.txt').waitFor()
  expect(await page.getByRole('link', { name: 'Open note.txt' }).count()).toBe(0)
  const { teams } = await client.listTeams({})
  const room = await fixture.open(`/teams/${teams[0]!.id}`)
  const strip = room.getByRole('link', { name: /^Kit/ }).first()
  await strip.waitFor()
  expect(await strip.innerText()).not.toContain('not an AI')
  fixture.expectCalm()
})

test('[PG293] the set-up of a Gateway’s Boo shows its runtime’s choices and does not offer to move it', async () => {
  const page = await fixture.open(`/agents/${kit}/set-up`)
  const asked = page.getByRole('radio', { name: /^Ask/ })
  await asked.waitFor()
  expect(await page.getByRole('radio', { name: /^As set in OpenClaw/ }).isChecked()).toBe(true)
  await asked.check()
  await page.getByRole('combobox', { name: 'Model' }).selectOption('scripted/boo')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved how Kit runs').waitFor()
  expect(await fixture.server.client.getAgent({ params: { agentId: kit } })).toMatchObject({
    execConfig: { permissionMode: 'guarded', model: 'scripted/boo' },
  })
  await page.getByRole('radio', { name: /^Everything/ }).check()
  await page.getByRole('alert').filter({ hasText: 'delete files' }).waitFor()
  expect(await page.getByText("Couldn't load").count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.goto(`${fixture.server.url}/agents/${kit}/identity`)
  await page.getByRole('heading', { name: 'Identity' }).waitFor()
  expect(await page.getByRole('button', { name: 'Move to' }).count()).toBe(0)
  fixture.expectCalm()
})

test('[PG293] while the Gateway is offline the set-up shows that and keeps the choices, and lists the models again afterwards', async () => {
  await gateway.close()
  const page = await fixture.open(`/agents/${kit}/set-up`)
  await page.getByText('The models of OpenClaw cannot be loaded now.').waitFor()
  const model = page.getByRole('combobox', { name: 'Model' })
  expect(await model.inputValue()).toBe('scripted/boo')
  gateway = await startTestGateway({ port: gateway.port, agents: [{ id: 'kit', name: 'Kit' }] })
  await expect.poll(() => model.locator('option').allInnerTexts()).toContain('scripted/other')
  fixture.expectCalm(/503/)
})

test('[PG294] a Gateway’s Boo lists all sessions of the Gateway, including other clients’, and keeps the last list while it is offline', async () => {
  const { connection } = await openConnection(gateway)
  await connection.call('sessions.patch', { key: 'agent:kit:telegram:42', label: 'Mira on Telegram \u001b[2J' })
  await connection.call('sessions.patch', { key: 'agent:kit:main', model: null })
  const page = await fixture.open(`/agents/${kit}/sessions`)
  const lines = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await lines.filter({ hasText: 'Mira on Telegram [2J' }).waitFor()
  await lines.getByRole('link', { name: 'Conversation' }).waitFor()
  expect(await page.getByText('agent:kit').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await gateway.close()
  await page.getByText('Showing the last known list.').waitFor()
  await lines.filter({ hasText: 'Mira on Telegram' }).waitFor()
  const other = await fixture.open(`/agents/${kit}/sessions`)
  await other.getByRole('heading', { name: "Couldn't load its sessions" }).waitFor()
  gateway = await startTestGateway({ port: gateway.port, agents: [{ id: 'kit', name: 'Kit' }] })
  // The retry delay grows while the Gateway is offline.
  const isOld = () => page.getByText('Showing the last known list.').count()
  await expect.poll(isOld, { timeout: 45_000 }).toBe(0)
  fixture.expectCalm(/503/)
})
