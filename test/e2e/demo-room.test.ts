import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterAll(() => fixture.close())

const LATEST = { timeout: 90_000 }
const posts = (page: Page, author: string, words: string | RegExp) =>
  page.getByRole('article', { name: new RegExp(`^${author}, \\d`) }).filter({ hasText: words })

test('[PG290] one click and one message show a handoff, a task, its evidence and a summary, all marked as scripted', async () => {
  const page = await fixture.open('/')
  await page.getByRole('button', { name: 'Try the demo team' }).click()
  const field = page.getByRole('textbox', { name: 'Message Demo team' })
  await field.and(page.locator(':focus')).waitFor()
  await field.fill('Write a plan for a small garden party')
  await page.keyboard.press('Enter')
  await posts(page, 'You', 'Write a plan for a small garden party').waitFor()

  const handoff = posts(page, 'Pip', 'Moss, please write a first draft')
  await handoff.waitFor(LATEST)
  await posts(page, 'Moss', 'plan-small-garden-party.md').waitFor(LATEST)
  const summary = posts(page, 'Pip', 'Summary of what you asked for')
  await summary.waitFor(LATEST)
  await summary.getByText(/Evidence recorded by the server/).waitFor()
  for (const post of [handoff, posts(page, 'Moss', 'plan-small-garden-party.md'), summary])
    await post.getByText('scripted, not an AI', { exact: true }).waitFor()
  expect(await page.getByText('NO_REPLY').count()).toBe(0)
  expect(await violations(page)).toEqual([])

  const line = page.getByRole('article', { name: /^Clawboo,/ }).filter({ hasText: 'is in review' })
  await line.getByRole('link').first().click()
  const panel = page.getByRole('complementary')
  await panel.getByRole('heading', { name: 'First draft: Write a plan for a small garden party' }).waitFor()
  await panel.getByText(/^The check .* passed/).waitFor()
  await panel.getByRole('button', { name: 'Changes' }).click()
  await page.locator('[data-kind=added]', { hasText: 'Agree on the goal' }).waitFor()
  fixture.expectCalm()
}, 180_000)

test('[PG280] axe finds nothing with the work column open, lines folded or not, in both themes', async () => {
  const { client } = fixture.server
  const { teams } = await client.listTeams({})
  // Adds two folds, because the folds of the demo depend on the speed of its Boos.
  for (const title of ['Invite the neighbours', 'Buy lemons']) {
    const { id: taskId } = await client.createTask({ params: { teamId: teams[0]!.id }, body: { title } })
    for (const to of ['cancelled', 'backlog'] as const) await client.moveTask({ params: { taskId }, body: { to } })
  }
  const page = await fixture.open('/')
  await page.getByRole('link', { name: /^Demo team/ }).click()
  const work = page.getByRole('complementary', { name: 'Work' })
  await work.getByText('In review', { exact: true }).waitFor()
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page)))
    await page
      .getByRole('log')
      .getByRole('button', { name: / more line/ })
      .last()
      .click()
  }
  expect(found).toEqual([])
  fixture.expectCalm()
})
