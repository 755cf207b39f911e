import { expect, test } from 'vitest'
import { violations } from '../../../../../test/e2e/axe-violations.ts'
import { OPENCLAW_ID } from './descriptor.ts'
import { useConnectedPage } from './stand-in/test-connected-page.ts'

const { gateway, fixture } = useConnectedPage({ agents: [{ id: 'kit', name: 'Kit' }] })

test('[PG291] a person reads and answers an approval of an outside run on the page and sees it settled', async () => {
  const query = { runtime: OPENCLAW_ID }
  await expect.poll(async () => (await fixture().server.client.listAgents({ query })).agents.length).toBe(2)
  const ofKit = { agentId: 'kit', sessionKey: 'agent:kit:telegram', turnSourceChannel: 'telegram' }
  const answered = gateway().approvals.ask({ ...ofKit, command: 'echo one' })
  const page = await fixture().open('/needs-you')
  const item = page.getByRole('listitem', { name: 'Kit wants to run a command' })
  await item.getByText('echo one').waitFor()
  await item.getByText(/^Asked outside Clawboo \(telegram\), because /).waitFor()
  expect(await item.getByRole('link').allInnerTexts()).toEqual(['Open Kit'])
  expect(await item.getByRole('button').allInnerTexts()).toEqual(['Allow once', 'Deny'])
  expect(await violations(page)).toEqual([])
  await item.getByRole('button', { name: 'Allow once' }).click()
  await item.waitFor({ state: 'detached' })
  await expect.poll(() => gateway().approvals.pending.has(answered)).toBe(false)
  const elsewhere = gateway().approvals.ask({ ...ofKit, command: 'echo two', cwd: null })
  await item.getByText('echo two').waitFor()
  expect(await item.getByText(/^In /).count()).toBe(0)
  gateway().approvals.settle(elsewhere, 'deny')
  await item.waitFor({ state: 'detached' })
  await page.getByText(/^Answered ·/).click()
  const settled = page.getByRole('list', { name: 'Answered' }).getByRole('listitem')
  await settled.filter({ hasText: 'Answered outside Clawboo' }).filter({ hasText: 'echo two' }).waitFor()
  await settled
    .filter({ hasText: /Allowed once by/ })
    .filter({ hasText: 'echo one' })
    .waitFor()
  fixture().expectCalm()
})
