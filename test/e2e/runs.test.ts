import { readFile } from 'node:fs/promises'
import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture
let model: string
let ada: string
let kit: string

/** A model that fails is asked again before a run gives up. */
const PATIENT = { timeout: 30_000 }

const client = () => fixture.server.client

async function tell(agentId: string, script: readonly ScriptTurn[], words: string): Promise<string> {
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
  const make = async (name: string) => (await client().createAgent({ body: { name, execConfig: { model } } })).id
  ada = await make('Ada')
  kit = await make('Kit')
  const writes: ScriptTurn[] = [
    [{ say: 'I write it.' }, { callTool: 'write', with: { path: 'a.md', content: 'one\ntwo' } }],
    [{ say: 'It is written.' }],
  ]
  await tell(ada, writes, 'Write it down')
  await tell(kit, [[{ fail: { status: 400, message: 'no such thing' } }]], 'Fail at this')
})
afterEach(async () => {
  for (const page of fixture.context.pages()) await page.close()
  fixture.expectCalm()
})
afterAll(() => fixture.close())

test('[PG81] runs are listed newest first, filtered as the address says, and new ones come by themselves', async () => {
  const page = await fixture.open('/runs')
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await page.getByText('Write it down').waitFor()
  expect(await rows.count()).toBe(2)
  expect(await rows.first().innerText()).toContain('Fail at this')
  expect(await rows.first().innerText()).toContain('The model did not answer.')
  await page.getByLabel('Outcome').selectOption({ label: 'Completed' })
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?outcome=completed')
  await page.reload()
  await page.getByText('Write it down').waitFor()
  expect(await rows.count()).toBe(1)
  await tell(ada, [[{ say: 'Again.' }]], 'Once more')
  await page.getByText('Once more').waitFor()
  await page.getByLabel('Boo').selectOption({ label: 'Kit' })
  await page.getByText('No run fits').waitFor()
  await page.goBack()
  await page.getByText('Once more').waitFor()
  await page.goto(`${fixture.server.url}/runs?outcome=nonsense`)
  await page.getByText('Fail at this').waitFor()
  expect(await rows.count()).toBe(3)
})

test('[PG83] a run shows its record and its facts, plays it again in time, and gives it away as JSON', async () => {
  const runId = await tell(ada, [[{ say: `Slowly now. ${'word '.repeat(300)}` }]], 'Tell a lot')
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

test('[PG39] a run that is not there says so and leads back', async () => {
  const page = await fixture.open('/runs/nothing')
  await page.getByText('This run is not here').waitFor()
  await page.getByRole('link', { name: 'All runs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
})

test('[PG74] the set-up shows what goes into the next turn: files with what is lost, skills, tools and commands', async () => {
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
  await page.getByText('Only commands run whose every part is on the allow-list').waitFor()
  await soul.getByRole('link', { name: 'SOUL.md' }).click()
  await page.waitForURL(/files\/SOUL.md$/)
})

test('[PG75] model, commands and budget are changed in the set-up, and nothing else of it', async () => {
  const { id } = await client().createAgent({
    body: { name: 'Moss', execConfig: { model, fallbackModels: [model], exec: { timeoutSec: 60 } } },
  })
  const page = await fixture.open(`/agents/${id}/set-up`)
  await page.getByRole('radio', { name: /^Everything/ }).check()
  await page.getByText('Choose this only for a machine you can lose.').waitFor()
  await page.getByLabel('Daily budget in dollars').fill('-1')
  await page.getByText('Must be a number of dollars above 0').waitFor()
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
