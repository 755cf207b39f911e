import { readFile } from 'node:fs/promises'
import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'
import { textLines } from './text-lines.ts'

let fixture: PageFixture
let model: string
let ada: string
let kit: string

/** Long enough for a run that retries a failed model call before it ends. */
const PATIENT = { timeout: 60_000 }

const client = () => fixture.server.client

async function sendAndWait(agentId: string, script: readonly ScriptTurn[], words: string): Promise<string> {
  await client().sendMessage({ params: { agentId }, body: { text: scriptPrompt(script, words) } })
  return vi.waitFor(async () => {
    const [run] = (await client().listRuns({ query: { agentId, limit: 1 } })).runs
    if (run?.state !== 'ended' || !run.prompt.startsWith(words)) throw new Error('the run has not ended')
    return run.id
  }, PATIENT)
}

beforeAll(async () => {
  fixture = await startPage()
  model = (await client().listProviders({})).demoModel!
  const make = async (name: string) =>
    (await client().createAgent({ body: { name, execConfig: { model, exec: { ask: 'on-miss' } } } })).id
  ada = await make('Ada')
  kit = await make('Kit')
  const writes: ScriptTurn[] = [
    [{ say: 'I write it.' }, { callTool: 'write', with: { path: 'a.md', content: 'one\ntwo' } }],
    [{ say: 'It is written.' }],
  ]
  await sendAndWait(ada, writes, 'Write it down')
  await sendAndWait(kit, [[{ fail: { status: 400, message: 'no such thing' } }]], 'Fail at this')
})
afterEach(async () => {
  await fixture.closePages()
  fixture.expectCalm()
})
afterAll(() => fixture.close())

test('[PG81] runs are listed newest first and filtered by the address, and new ones appear without a reload', async () => {
  const page = await fixture.open('/runs')
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await page.getByText('Write it down').waitFor()
  expect(await rows.count()).toBe(2)
  expect(await rows.first().innerText()).toContain('Fail at this')
  expect(await rows.first().innerText()).toContain('The model did not respond.')
  await page.getByLabel('Outcome').selectOption({ label: 'Completed' })
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?outcome=completed')
  await page.reload()
  await page.getByText('Write it down').waitFor()
  expect(await rows.count()).toBe(1)
  await sendAndWait(ada, [[{ say: 'Again.' }]], 'Once more')
  await page.getByText('Once more').waitFor()
  await page.getByLabel('Boo').selectOption({ label: 'Kit' })
  await page.getByText('No runs match').waitFor()
  await page.goBack()
  await page.getByText('Once more').waitFor()
  await page.goto(`${fixture.server.url}/runs?outcome=nonsense`)
  await page.getByText('Fail at this').waitFor()
  expect(await rows.count()).toBe(3)
})

test('[PG83] a run shows its record and its facts, replays the record, and downloads it as JSON', async () => {
  const runId = await sendAndWait(ada, [[{ say: `Slowly now. ${'word '.repeat(300)}` }]], 'Tell a lot')
  const page = await fixture.open(`/runs/${runId}`)
  await page.locator('[data-said]').getByText('Slowly now.').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('complementary', { name: 'Facts' }).getByRole('link', { name: 'Ada' }).waitFor()
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  const place = page.getByRole('slider', { name: 'Place in the record' })
  await place.fill('0')
  await expect.poll(() => page.locator('[data-said]').getByText('Slowly now.').count()).toBe(0)
  await page.getByRole('button', { name: 'Instant' }).click()
  await page.locator('[data-said]').getByText('Slowly now.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const record = JSON.parse(await readFile(await download.path(), 'utf8')) as {
    run: { id: string }
    entries: unknown[]
  }
  expect(record.run.id).toBe(runId)
  expect(record.entries.length).toBeGreaterThan(3)
})

const ASKS: ScriptTurn[] = [
  [{ say: 'I ask first.' }, { callTool: 'exec', with: { command: 'uname' } }],
  [{ drip: { text: 'It was the last of all.', everyMs: 40 } }],
]

/** A run that waits for an answer. */
async function asksOnce(name: string): Promise<{ readonly agentId: string; readonly runId: string }> {
  const { id: agentId } = await client().createAgent({
    body: { name, execConfig: { model, exec: { ask: 'on-miss' } } },
  })
  await client().sendMessage({ params: { agentId }, body: { text: scriptPrompt(ASKS, 'Ask me') } })
  const runId = await vi.waitFor(async () => {
    const { items } = await client().listAttention({ query: { state: 'open' } })
    const item = items.find((one) => one.agentId === agentId)
    if (!item?.runId) throw new Error('nothing is asked yet')
    return item.runId
  }, PATIENT)
  return { agentId, runId }
}

const focusedTag = (page: Page) => page.evaluate<string>('document.activeElement?.tagName')

test('[PG170] the page of a running run follows it and answers its approvals', async () => {
  const { runId } = await asksOnce('Lin')
  const page = await fixture.open(`/runs/${runId}`)
  const asked = page.getByRole('region', { name: 'Needs you' })
  await asked.getByText('uname', { exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  await asked.getByRole('button', { name: 'Allow once' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[data-said]').getByText('It was the last of all.').waitFor()
  await asked.waitFor({ state: 'detached' })
  await expect.poll(() => focusedTag(page)).not.toBe('BODY')
  await page.getByText('Completed').first().waitFor()
  await page.getByRole('button', { name: 'Play' }).waitFor()
  expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
})

test('[PG171] a replay shows how each approval was answered, and none as open', async () => {
  const { agentId, runId } = await asksOnce('Mia')
  const { items } = await client().listAttention({ query: { state: 'open' } })
  const item = items.find((one) => one.agentId === agentId)!
  const page = await fixture.open(`/runs/${runId}`)
  await page.getByRole('region', { name: 'Needs you' }).waitFor()
  await client().answerAttention({ params: { itemId: item.id }, body: { answer: 'allow-once' } })
  const settled = page.getByText(/^Allowed once/)
  await page.getByRole('button', { name: 'Play' }).waitFor()
  await settled.waitFor()
  const place = page.getByRole('slider', { name: 'Place in the record' })
  const length = Number(await place.getAttribute('max'))
  for (let at = 0; at < length; at += 100) {
    await place.fill(String(at))
    expect(await page.getByRole('region', { name: 'Needs you' }).count()).toBe(0)
    if ((await settled.count()) > 0) return
  }
  throw new Error('the replay never came to the question')
})

test('[PG172] an approval that was open when the run was stopped shows that, in its run and in Needs you', async () => {
  const { runId } = await asksOnce('Noa')
  const page = await fixture.open(`/runs/${runId}`)
  await page.getByRole('region', { name: 'Needs you' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('The run stopped before you answered:').waitFor()
  await page.getByText('Stopped by you').first().waitFor()
  expect(await page.getByText('Denied').count()).toBe(0)
  await page.goto(`${fixture.server.url}/needs-you`)
  await page.getByText(/^Answered/).click()
  const settled = page.getByRole('list', { name: 'Answered' }).getByRole('listitem').filter({ hasText: 'Noa' })
  await settled.getByText('The run stopped before you answered').waitFor()
})

test('[PG177] Back from a run returns to the same place in the list, also when new runs were added', async () => {
  // Enough runs to scroll, whichever tests ran before.
  for (let n = 0; n < 6; n++) await sendAndWait(kit, [[{ say: 'Yes.' }]], `Run ${n}`)
  const context = await fixture.newContext({ height: 320 })
  const page = await fixture.open('/runs', context)
  const list = page.locator('[data-virtual-list]')
  const row = page.getByRole('link', { name: /Write it down/ })
  await list.waitFor()
  await list.evaluate((node) => node.scrollTo(0, node.scrollHeight))
  await row.waitFor()
  const top = () => row.evaluate((node) => Math.round(node.getBoundingClientRect().top))
  const before = await top()
  await row.click()
  await page.getByRole('heading', { name: 'Run of Ada' }).waitFor()
  await sendAndWait(ada, [[{ say: 'New.' }]], 'Come above')
  await page.goBack()
  await row.waitFor()
  await expect.poll(top).toBe(before)
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first()
  const count = Number(await rows.getAttribute('aria-setsize'))
  await sendAndWait(ada, [[{ say: 'Newer.' }]], 'Come above too')
  await expect.poll(async () => Number(await rows.getAttribute('aria-setsize'))).toBe(count + 1)
  await expect.poll(top).toBe(before)
  await context.close()
})

test('[PG176] on a phone an announcement does not cover the field that a person types in', async () => {
  const context = await fixture.newContext({ width: 390, height: 780 })
  const page = await fixture.open(`/agents/${ada}`, context)
  const field = page.getByRole('textbox', { name: /^Message / })
  await field.fill(scriptPrompt([[{ drip: { text: 'word '.repeat(200), everyMs: 60 } }]], 'Go on'))
  await field.press('Enter')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  const words = page.getByRole('status').getByText('Ada is stopping')
  await words.waitFor()
  // The field with its buttons.
  const [announced, typed] = [(await words.boundingBox())!, (await field.locator('..').boundingBox())!]
  expect(announced.y + announced.height <= typed.y || announced.y >= typed.y + typed.height).toBe(true)
  await context.close()
})

test('[PG174] on a phone a wide table scrolls in its own box, with headings and figures unbroken', async () => {
  const row = '| Everything together | $1,234.56 | 4,000,000 | 12.5 % | a longer sentence about it |'
  const table = `| Who | Spent so far | Tokens | Share | Remark |\n|---|---|---|---|---|\n${row}`
  const runId = await sendAndWait(ada, [[{ say: table }]], 'Make a table')
  const context = await fixture.newContext({ width: 390, height: 780 })
  const page = await fixture.open(`/runs/${runId}`, context)
  const heights = (texts: readonly string[]) =>
    Promise.all(texts.map((name) => textLines(page.getByRole('table').getByText(name, { exact: true }))))
  await page.getByRole('table').waitFor()
  expect(await heights(['Spent so far', '$1,234.56', '4,000,000', '12.5 %'])).toEqual([1, 1, 1, 1])
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  const box = page.getByRole('table').locator('..')
  expect(await box.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true)
  expect(await violations(page)).toEqual([])
  await context.close()
})

test('[PG39] a run that does not exist shows that and links back', async () => {
  const page = await fixture.open('/runs/nothing')
  await page.getByText('Run not found').waitFor()
  await page.getByRole('link', { name: 'All runs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
})

test('[PG74] the set-up shows the contents of the next turn: files and their cut parts, skills, tools and commands', async () => {
  const text = `# Kept\n\n${'x'.repeat(30_000)}\n\n# Lost in the middle\n\n${'y'.repeat(30_000)}`
  const file = { agentId: kit, fileName: 'SOUL.md' } as const
  const before = await client()
    .readAgentFile({ params: file })
    .catch(() => ({ revision: 0 }))
  await client().writeAgentFile({ params: file, body: { content: text, baseRevision: before.revision } })
  const page = await fixture.open(`/agents/${kit}/set-up`)
  const soul = page.getByRole('listitem').filter({ hasText: 'SOUL.md' })
  await soul.getByText('Shortened', { exact: true }).waitFor()
  await soul.getByText(/Missing or cut: .*Lost in the middle/).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'exec' }).first().waitFor()
  await page.getByText('A command runs only if every part of it is on the allow-list').waitFor()
  await soul.getByRole('link', { name: 'SOUL.md' }).click()
  await page.waitForURL(/files\/SOUL.md$/)
})

test('[PG75] model, commands and budget change in the set-up, and nothing else changes', async () => {
  const { id } = await client().createAgent({
    body: { name: 'Moss', execConfig: { model, fallbackModels: [model], exec: { timeoutSec: 60 } } },
  })
  const page = await fixture.open(`/agents/${id}/set-up`)
  await page.getByRole('radio', { name: /^Everything/ }).check()
  await page.getByText('Choose this only on a machine that you can afford to lose.').waitFor()
  await page.getByLabel('Daily budget in dollars').fill('-1')
  await page.getByLabel('Daily budget in dollars').blur()
  await page.getByText('Must be above 0').waitFor()
  await page.getByLabel('Daily budget in dollars').fill('2.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved how Moss runs').waitFor()
  expect((await client().getAgent({ params: { agentId: id } })).execConfig).toEqual({
    model,
    fallbackModels: [model],
    exec: { timeoutSec: 60, security: 'full' },
    budgetUsd: 2.5,
  })
  await page.getByText('Every command may run').waitFor()
})

test('[PG294] the sessions of a Boo are listed by name, follow its runs, and link to the conversation', async () => {
  await sendAndWait(ada, [[{ say: 'The last word.' }]], 'Say it')
  const page = await fixture.open(`/agents/${ada}`)
  await page.getByRole('navigation', { name: 'About Ada' }).getByRole('link', { name: 'Sessions' }).click()
  const lines = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await expect
    .poll(() => lines.allInnerTexts())
    .toEqual([expect.stringMatching(/^Conversation\s+just now\s+The last word\.\s+Started /)])
  const body = {
    text: scriptPrompt([[{ say: 'A while.' }, { stall: true }]], 'Hold on'),
    sessionKey: `agent:${ada}:plans`,
  }
  const { runId } = await client().sendMessage({ params: { agentId: ada }, body })
  await lines.filter({ hasText: 'plans' }).getByText('Working').waitFor()
  expect((await lines.first().innerText()).startsWith('plans')).toBe(true)
  await client().stopAgent({ params: { agentId: ada }, body: { sessionKey: body.sessionKey } })
  await expect.poll(() => lines.getByText('Working').count()).toBe(0)
  expect(runId).not.toBeNull()
  expect(await page.getByText('agent:').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await lines.getByRole('link', { name: 'Conversation' }).click()
  await page.getByText('The last word.').first().waitFor()
  const { id: lou } = await client().createAgent({ body: { name: 'Lou' } })
  const empty = await fixture.open(`/agents/${lou}/sessions`)
  await empty.getByRole('heading', { name: 'No sessions yet' }).waitFor()
})
