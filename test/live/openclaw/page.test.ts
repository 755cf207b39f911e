import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from '../../e2e/page-fixture.ts'
import { field, said, say, stopButton } from '../../e2e/talking-page.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { heldCommand } from './held-command.ts'

/** The first run of a Gateway loads its agent code, and a busy machine makes each step slower. */
const PATIENCE_MS = 600_000
let gateway: GatewayProcess
let fixture: PageFixture
let kit: string
beforeAll(async () => {
  gateway = await startGateway()
  fixture = await startPage({ env: { OPENCLAW_STATE_DIR: gateway.stateDir } })
  fixture.context.setDefaultTimeout(PATIENCE_MS)
})
afterEach(async () => {
  await fixture.closePages()
  fixture.expectCalm()
})
afterAll(async () => {
  await fixture?.close()
  await gateway?.stop()
})

const script = (words: string, ...turns: ScriptTurn[]) => scriptPrompt(turns, words)
const exec = (command: string): ScriptTurn => [{ callTool: 'exec', with: { command } }]
const runs = async () =>
  (await fixture.server.client.readConversation({ params: { agentId: kit } })).runs.map(({ run }) => run)
/** Resolves to all runs of the conversation once there are this many and all have ended. */
const untilEnded = async (count: number) => {
  const ended = async () => (await runs()).map(({ state }) => state)
  await expect.poll(ended).toEqual(Array.from({ length: count }, () => 'ended'))
  return runs()
}
const runOf = async (text: string) => {
  const { messages } = await fixture.server.client.listMessages({ params: { agentId: kit }, query: {} })
  return messages.find((message) => message.text === text)?.runId ?? null
}
const sayAs = async (page: Page, mode: string, text: string) => {
  await page.getByRole('button', { name: 'How to send' }).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${mode}`) }).click()
  await say(page, text)
}
const isAsked = (text: string) =>
  expect.poll(() => gateway.model.requests.some(({ body }) => JSON.stringify(body).includes(text))).toBe(true)

test('[OC94] a Gateway is found and connected with one button, and an agent created on the page answers', async () => {
  const page = await fixture.open('/runtimes')
  const card = page.getByRole('listitem', { name: 'OpenClaw', exact: true })
  await card.getByRole('button', { name: `Connect ${gateway.url}` }).click()
  await card.getByText(`, version ${gateway.version}. 1 Boo, refreshed `).waitFor()
  expect(await card.innerText()).not.toContain(gateway.token)
  await page.goto(`${fixture.server.url}/new`)
  await page.getByRole('combobox', { name: 'Runtime' }).selectOption({ label: 'OpenClaw' })
  await page.getByLabel('Name').fill('Kit')
  await page.getByRole('button', { name: 'Create Boo' }).click()
  await page.waitForURL(/\/agents\/[^/]+/)
  kit = /\/agents\/([^/]+)/.exec(page.url())![1]!
  await page.goto(`${fixture.server.url}/agents/${kit}`)
  await field(page).waitFor()
  await say(page, script('Hello', [{ say: 'Hello from the Gateway.' }]))
  await said(page).getByText('Hello from the Gateway.', { exact: true }).waitFor()
  // The next test would steer a run that has not ended.
  await untilEnded(1)
})

test('[OC94] steer, follow-up and interrupt from the page reach the model, and each answer appears under its run', async () => {
  const page = await fixture.open(`/agents/${kit}`)
  const held = heldCommand(gateway.dir)
  // The steer is answered by the call after the tool, or by one more call when the Gateway places it too late.
  await say(page, script('Begin', held.turn, [{ echo: 'lastUser' }], [{ echo: 'lastUser' }]))
  await isAsked('Begin')
  await sayAs(page, 'Follow up', script('And then', [{ say: 'Second answer.' }]))
  await sayAs(page, 'Steer', 'Mind the gap.')
  await expect.poll(() => runOf('Mind the gap.')).not.toBeNull()
  await held.release()
  await said(page).getByText('Second answer.', { exact: true }).waitFor()
  const [, first, second] = await untilEnded(3)
  await stopButton(page).waitFor({ state: 'detached' })
  expect(first).toMatchObject({ outcome: 'completed', text: expect.stringContaining('Mind the gap.') })
  expect(second).toMatchObject({ outcome: 'completed', text: 'Second answer.' })
  expect(await page.getByText('Mind the gap.', { exact: true }).count()).toBe(1)

  await say(page, script('Go on', [{ say: 'On and on.' }, { stall: true }]))
  await said(page).getByText('On and on.').waitFor()
  await sayAs(page, 'Interrupt', script('Stop that', [{ say: 'At once.' }]))
  await said(page).getByText('At once.', { exact: true }).waitFor()
  const [, , , stopped, urgent] = await untilEnded(5)
  expect(stopped).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_message', text: 'On and on.' })
  expect(urgent).toMatchObject({ outcome: 'completed', text: 'At once.' })
})

test('[OC94] after an answer in Needs you, the agent continues or is told of the denial', async () => {
  const body = { execConfig: { permissionMode: 'guarded' } } as const
  await fixture.server.client.updateAgent({ params: { agentId: kit }, body })
  const page = await fixture.open(`/agents/${kit}`)
  const needs = await fixture.open('/needs-you')
  for (const [answer, heard] of [
    ['Allow once', 'made-it'],
    ['Deny', 'denied'],
  ] as const) {
    const before = (await runs()).length
    await say(page, script(answer, exec('echo made-it'), [{ echo: 'toolResults' }]))
    await needs.getByRole('list', { name: 'Open' }).getByText('echo made-it').waitFor()
    await needs.getByRole('button', { name: answer, exact: true }).click()
    await needs.getByText("You're all caught up").waitFor()
    expect((await untilEnded(before + 1)).at(-1)).toMatchObject({
      outcome: 'completed',
      text: expect.stringMatching(new RegExp(heard, 'i')),
    })
  }
})

test('[OC94] the page shows that a Gateway died and returned, and its Boos stay readable meanwhile', async () => {
  const page = await fixture.open('/')
  await gateway.kill()
  await page.getByText(/^OpenClaw is offline\./).waitFor()
  await page.getByRole('link', { name: /Kit/ }).first().waitFor()
  await gateway.restart()
  await page.getByText(/^OpenClaw is offline\./).waitFor({ state: 'detached' })
})
