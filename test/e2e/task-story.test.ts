import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { startTalking } from './talking-page.ts'

const talking = startTalking()
const client = () => talking.client()
const project = mkdtempSync(join(tmpdir(), 'clawboo-story-'))
let teamId: string

beforeAll(async () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...words], { cwd: project })
  writeFileSync(join(project, 'readme.txt'), 'A project\n')
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  const kit = await talking.makeBoo('Kit')
  teamId = (await client().createTeam({ body: { name: 'Launch', memberIds: [kit] } })).team.id
  await client().setTeamProject({ params: { teamId }, body: { folder: project, checkCommand: 'test -f greeting.txt' } })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const column = (page: Page, title: string) => page.getByRole('region', { name: new RegExp(`^${title},`) })
const panel = (page: Page) => page.getByRole('complementary')

const added = (page: Page, text: string) => page.locator('[data-kind=added]', { hasText: text })

/** Writes the file slowly, then reports it. */
function writes(content: string): readonly ScriptTurn[] {
  return [
    [{ callTool: 'write', with: { path: 'greeting.txt', content } }],
    [{ wait: 2_000 }, { say: 'The greeting is written.' }],
  ]
}

async function makeTask(page: Page, title: string, body: string): Promise<void> {
  await page.getByRole('button', { name: 'New task' }).click()
  await panel(page).getByLabel('Title').fill(title)
  await page.getByLabel('Description').fill(body)
  await page.getByLabel('Assignee').selectOption({ label: 'Kit' })
  await page.getByLabel('Edits project files').check()
  await page.getByRole('button', { name: 'Create task' }).click()
  await panel(page).getByRole('heading', { name: title }).waitFor()
}

test('[PG210] [PG209] a file-changing task is worked on, reviewed, commented on, redone, signed off and merged', async () => {
  const page = await talking.fixture.open(`/board/${teamId}`)
  await makeTask(page, 'Write a greeting', scriptPrompt(writes('Good morning\n'), 'Write a greeting.'))
  await column(page, 'In progress')
    .getByText(/^Working/)
    .waitFor()
  await column(page, 'In progress').getByRole('link', { name: 'See the run' }).waitFor()
  await panel(page).getByRole('list', { name: 'Attempts' }).getByText('Working').waitFor()
  await column(page, 'In review').getByRole('link', { name: 'Write a greeting' }).waitFor()
  await panel(page).getByText('The check test -f greeting.txt passed').waitFor()

  await panel(page).getByRole('button', { name: 'Changes' }).click()
  await added(page, 'Good morning').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Comment on line 1 of greeting.txt' }).click()
  const remark = page.getByRole('textbox', { name: 'Comment on line 1 of greeting.txt' })
  await remark.fill(scriptPrompt(writes('Good evening\n'), 'It is evening.'))
  await panel(page).getByRole('button', { name: 'Comment', exact: true }).click()
  await panel(page).getByText('It is evening.').waitFor()
  // The text is also in the form until the comment is stored, and the next attempt must find the comment.
  const taskId = new URL(page.url()).searchParams.get('task')!
  const detail = async () => JSON.stringify(await client().getTask({ params: { taskId } }))
  await expect.poll(detail).toContain('It is evening.')
  await panel(page).getByRole('button', { name: 'Request changes' }).click()
  await panel(page).locator('form').getByRole('button', { name: 'Request changes' }).click()

  await added(page, 'Good evening').waitFor()
  expect(await added(page, 'Good morning').count()).toBe(0)
  await panel(page).getByText('In review', { exact: true }).waitFor()
  await panel(page).getByRole('button', { name: 'Merge' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click()
  await page.getByText('1 file merged into the project').waitFor()
  expect(readFileSync(join(project, 'greeting.txt'), 'utf8')).toBe('Good evening\n')

  await panel(page).getByRole('button', { name: 'Task', exact: true }).click()
  const attempts = panel(page).getByRole('list', { name: 'Attempts' })
  expect(await attempts.getByRole('listitem').count()).toBe(2)
  await panel(page).getByRole('button', { name: 'Approve' }).click()
  await panel(page).getByText('Approved by Operator').waitFor()
  await column(page, 'Done').getByRole('link', { name: 'Write a greeting' }).waitFor()
  await attempts.getByRole('link', { name: 'See the run of attempt 2' }).click()
  await page.getByText('The greeting is written.').first().waitFor()
}, 120_000)

test('[PG214] one button withdraws work in progress', async () => {
  const page = await talking.fixture.open(`/board/${teamId}`)
  await makeTask(page, 'Never ends', scriptPrompt([[{ stall: true }]], 'Wait.'))
  await column(page, 'In progress').getByRole('link', { name: 'Never ends' }).waitFor()
  await panel(page).getByRole('button', { name: 'Take back' }).click()
  await column(page, 'Backlog').getByRole('link', { name: 'Never ends' }).waitFor()
  await panel(page).getByText('Released').waitFor()
  await panel(page).getByText('A person took it back.').waitFor()
  await panel(page).getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' })
}, 60_000)
