import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeReviewedTask, type ReviewedTask } from './reviewed-task.ts'
import { startTalking } from './talking-page.ts'

const talking = startTalking()
let reviewed: ReviewedTask

beforeAll(async () => {
  reviewed = await makeReviewedTask(talking.fixture)
}, 90_000)
afterAll(() => reviewed?.remove())

const comments = async () => (await talking.client().getTask({ params: { taskId: reviewed.taskId } })).comments
const line = (page: Page, name: string) => page.getByRole('button', { name: `Comment on ${name}` })
const words = (page: Page, name: string) => page.getByRole('textbox', { name: `Comment on ${name}` })
const focused = (page: Page) =>
  page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')

test('[PG219] the keyboard comments on a removed line, and the comment quotes it and appears under it', async () => {
  const page = await talking.fixture.open(reviewed.changes)
  const name = 'removed line 2 of readme.txt'
  await line(page, name).focus()
  await page.keyboard.press('Enter')
  await words(page, name).waitFor()
  await page.keyboard.type('Why did these go?')
  await page.keyboard.press('Control+Enter')
  await words(page, name).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe(`Comment on ${name}`)
  const stored = await comments()
  expect(stored).toHaveLength(1)
  expect(stored[0]).toMatchObject({
    file: 'readme.txt',
    line: null,
    body: '> Removed line 2: `Old words`\n\nWhy did these go?',
  })
  const texts = (await page.locator('#main aside').innerText()).split('\n').map((text) => text.trim())
  const at = texts.findIndex((text) => text.endsWith('Old words'))
  expect(texts.slice(at, at + 6).join(' ')).toMatch(/Old words\s+You · just now\s+Why did these go\?/)
})

test('[PG218] an unsent comment on a line and an unsent change request are still there after a reload', async () => {
  const page = await talking.fixture.open(reviewed.changes)
  await line(page, 'line 1 of greeting.txt').click()
  await words(page, 'line 1 of greeting.txt').fill('Say hello')
  await page.getByRole('button', { name: 'Request changes' }).click()
  await page.getByLabel('Changes to make').fill('All of it')
  await page.reload()
  await expect.poll(() => words(page, 'line 1 of greeting.txt').inputValue()).toBe('Say hello')
  expect(await page.getByLabel('Changes to make').inputValue()).toBe('All of it')
  await page.getByLabel('Changes to make').fill('')
  await words(page, 'line 1 of greeting.txt').fill('')
})

test('[PG221] Escape closes a form in the review, and focus returns to the element that opened it', async () => {
  const page = await talking.fixture.open(reviewed.changes)
  await line(page, 'line 1 of greeting.txt').focus()
  await page.keyboard.press('Enter')
  await words(page, 'line 1 of greeting.txt').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Comment on line 1 of greeting.txt')
  await page.getByRole('button', { name: 'Request changes' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Changes to make').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Request changes')
})

test('[PG223] jumping to a file scrolls only the changes, never the page around them', async () => {
  for (const width of [1280, 390]) {
    const context = await talking.fixture.newContext({ width, height: 800 })
    const page = await talking.fixture.open(reviewed.changes, context)
    const title = page.getByRole('heading', { level: 2, name: 'Greet everybody' })
    const before = (await title.boundingBox())!.y
    await page.getByRole('navigation', { name: 'Changed files' }).getByRole('button', { name: 'zebra.txt' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    await line(page, 'line 80 of zebra.txt').click()
    await words(page, 'line 80 of zebra.txt').waitFor()
    expect((await title.boundingBox())!.y).toBe(before)
    await context.close()
  }
}, 60_000)

test('[PG203] a task with files changed after its check cannot be moved to done from the page', async () => {
  const params = { taskId: reviewed.taskId }
  const read = () => talking.client().getTask({ params })
  await talking.client().checkTask({ params })
  const { attempts, lack } = await read()
  expect(lack).toBeNull()
  writeFileSync(join(attempts.at(-1)!.worktree!.path, 'later.txt'), 'Nobody checked this.\n')
  const page = await talking.fixture.open(`/board/${reviewed.teamId}`)
  await page.getByRole('link', { name: 'Greet everybody' }).focus()
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press(' ')
  await page.getByRole('alert').getByText('“Greet everybody” was not moved.').waitFor()
  expect(await read()).toMatchObject({ task: { status: 'in_review' }, lack: { code: 'evidence_stale' } })
})
