import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page, Route } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { said, say, startTalking, waiting } from './talking-page.ts'

const talking = startTalking()
const { client, makeBoo } = talking

const PATIENT = { timeout: 60_000 }
const script = (text: string): ScriptTurn[] => [[{ say: text }]]

/** Holds the messages that this page sends; the returned function resolves to the first request. */
async function holdMessages(page: Page): Promise<() => Promise<Route>> {
  const held = Promise.withResolvers<Route>()
  await page.route('**/messages', (route) => held.resolve(route))
  return () => held.promise
}

test('[PG150] a message that one page sends shows as sending in every other, and disappears once it is confirmed', async () => {
  const id = await makeBoo('Ada')
  const one = await talking.fixture.open(`/agents/${id}`)
  const open = await talking.fixture.open(`/agents/${id}`)
  const held = await holdMessages(one)
  await say(one, scriptPrompt(script('Only once.'), 'Hello'))
  const request = await held()
  const later = await talking.fixture.open(`/agents/${id}`)
  for (const page of [open, later]) {
    await waiting(page).getByText('Sending', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  }
  await request.continue()
  for (const page of [one, open, later]) {
    await said(page).getByText('Only once.', { exact: true }).waitFor()
    await waiting(page).waitFor({ state: 'detached' })
  }
})

test('[PG150] a page that closes before the response leaves its message unsent in the others, and sending it again stores it once', async () => {
  const id = await makeBoo('Bea')
  const one = await talking.fixture.open(`/agents/${id}`)
  const other = await talking.fixture.open(`/agents/${id}`)
  const held = await holdMessages(one)
  await say(one, scriptPrompt(script('Said once.'), 'Hello'))
  await (await held()).fetch()
  await one.goto('about:blank')
  await waiting(other).getByText('Sending it again is safe.').waitFor()
  await other.getByRole('button', { name: 'Try again' }).click()
  await waiting(other).waitFor({ state: 'detached' })
  await said(other).getByText('Said once.', { exact: true }).waitFor()
  expect((await client().readConversation({ params: { agentId: id } })).runs.length).toBe(1)
})

test('[PG150] a message sent while the conversation is closed and reopened disappears once it is delivered', async () => {
  const id = await makeBoo('Cai')
  const page = await talking.fixture.open(`/agents/${id}`)
  const held = await holdMessages(page)
  await say(page, scriptPrompt(script('Through.'), 'Hello'))
  const request = await held()
  const tabs = page.getByRole('navigation', { name: 'About Cai' })
  await tabs.getByRole('link', { name: 'Identity' }).click()
  await page.getByRole('heading', { name: 'Identity' }).waitFor()
  await tabs.getByRole('link', { name: 'Conversation' }).click()
  await waiting(page).getByText('Sending', { exact: true }).waitFor()
  await request.continue()
  await said(page).getByText('Through.', { exact: true }).waitFor()
  await waiting(page).waitFor({ state: 'detached' })
})

test('[PG151] the set-up follows changes saved elsewhere, except in touched fields, and saves only those', async () => {
  const id = await makeBoo('Dot')
  const page = await talking.fixture.open(`/agents/${id}/set-up`)
  const budget = page.getByRole('textbox', { name: 'Daily budget in dollars' })
  const everything = page.getByRole('radio', { name: /^Everything/ })
  await budget.fill('0')
  await everything.waitFor()
  await client().updateAgent({ params: { agentId: id }, body: { execConfig: { exec: { security: 'full' } } } })
  await expect.poll(() => everything.isChecked()).toBe(true)
  const usual = page.getByRole('combobox', { name: 'Model' }).locator('option:checked')
  expect(await usual.innerText()).toBe(`${talking.model.slice(talking.model.indexOf('/') + 1)}, the default`)
  await page.getByText('It is scripted, not an AI.').waitFor()
  expect(await budget.inputValue()).toBe('0')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Must be above 0.').waitFor()
  expect(await budget.evaluate((node) => node.matches(':focus'))).toBe(true)
  await budget.fill('2.50')
  await budget.press('Enter')
  await page.getByText('Saved how Dot runs').waitFor()
  const { execConfig } = await client().getAgent({ params: { agentId: id } })
  expect(execConfig).toEqual({ exec: { security: 'full' }, budgetUsd: 2.5 })
  await client().updateAgent({ params: { agentId: id }, body: { execConfig: null } })
  await expect.poll(() => budget.inputValue()).toBe('')
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
})

test('[PG156] a new conversation started in one browser appears in another, and after a reload', async () => {
  const id = await makeBoo('Eli')
  await client().sendMessage({ params: { agentId: id }, body: { text: scriptPrompt(script('Before.'), 'First') } })
  const profile = await talking.fixture.newContext()
  const [one, other] = [
    await talking.fixture.open(`/agents/${id}`),
    await talking.fixture.open(`/agents/${id}`, profile),
  ]
  await said(other).getByText('Before.', { exact: true }).waitFor()
  await vi.waitFor(async () => {
    const { activeRunId } = await client().readConversation({ params: { agentId: id } })
    if (activeRunId !== null) throw new Error('it is at work')
  }, PATIENT)
  await one.getByRole('button', { name: 'New conversation' }).click()
  await one.getByRole('button', { name: 'Start new' }).click()
  const line = "New conversation. Eli won't remember the messages above."
  await one.getByText(line).waitFor()
  await other.getByText(line).waitFor()
  await other.reload()
  await other.getByText(line).waitFor()
  await say(other, scriptPrompt(script('After.'), 'Second'))
  await said(one).getByText('After.', { exact: true }).waitFor()
  for (const page of [one, other]) expect(await page.getByText(line).count()).toBe(1)
  expect(await one.getByRole('log').innerText()).toMatch(/Before\.[\s\S]*won't remember[\s\S]*After\./)
  await profile.close()
})
