import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture
let teamId: string
let robin: string
beforeAll(async () => {
  fixture = await startPage()
  teamId = (await client().createTeam({ body: { name: 'Garden' } })).team.id
  robin = (await client().createAgent({ body: { name: 'Robin', participantKind: 'human', teamId } })).id
})
afterAll(() => fixture.close())

const client = () => fixture.server.client
const make = (title: string, body: string) =>
  client().createTask({ params: { teamId }, body: { title, body, assignee: { kind: 'person', id: robin } } })
const row = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Open' }).getByRole('listitem', { name: title })
const words = (page: Page, title: string) => row(page, title).getByLabel('Reply')
const press = (page: Page, title: string, name: string) =>
  row(page, title).getByRole('button', { name, exact: true }).press('Enter')

test('[PE22] a person’s task is read, accepted, answered and completed in place with the keyboard', async () => {
  const { id } = await make('Water the ferns', 'All of them.\n<b>Not</b> the moss.')
  const page = await fixture.open('/needs-you')
  await row(page, 'Water the ferns').getByText('Assigned to Robin by Operator').waitFor()
  await row(page, 'Water the ferns').getByText('<b>Not</b> the moss.').waitFor()
  await press(page, 'Water the ferns', 'Comment')
  await row(page, 'Water the ferns').getByText('Write a comment first.').waitFor()
  await words(page, 'Water the ferns').fill('Which can?')
  await press(page, 'Water the ferns', 'Comment')
  await expect.poll(() => words(page, 'Water the ferns').inputValue()).toBe('')
  await press(page, 'Water the ferns', 'Start')
  await row(page, 'Water the ferns').getByRole('button', { name: 'Start', exact: true }).waitFor({ state: 'detached' })
  await words(page, 'Water the ferns').fill('All wet.')
  await press(page, 'Water the ferns', 'Mark done')
  await row(page, 'Water the ferns').waitFor({ state: 'detached' })
  const { task, comments } = await client().getTask({ params: { taskId: id } })
  expect([task.status, comments.map(({ body }) => body)]).toEqual(['done', ['Which can?', 'All wet.']])
  await page.close()
  fixture.expectCalm()
})

test('[PE22] text typed while an answer is being sent stays, and goes with the next one', async () => {
  const { id } = await make('Feed the moss', 'Today.')
  const page = await fixture.open('/needs-you')
  const gate = Promise.withResolvers<void>()
  await page.route(/\/api\/attention\/[^/]+\/answer$/, async (route) => {
    await gate.promise
    await route.continue()
  })
  await press(page, 'Feed the moss', 'Start')
  await words(page, 'Feed the moss').fill('All fed.')
  gate.resolve()
  await row(page, 'Feed the moss').getByRole('button', { name: 'Start', exact: true }).waitFor({ state: 'detached' })
  await page.getByText('Started', { exact: false }).first().waitFor()
  expect(await words(page, 'Feed the moss').inputValue()).toBe('All fed.')
  await press(page, 'Feed the moss', 'Mark done')
  await row(page, 'Feed the moss').waitFor({ state: 'detached' })
  const { comments } = await client().getTask({ params: { taskId: id } })
  expect(comments.map(({ body }) => body)).toEqual(['All fed.'])
  await page.close()
})

test('[PE22] a refusal is shown on the board, the link opens the task, and both themes fit a phone', async () => {
  const { id } = await make('Paint the fence', `White. ${'Very'.repeat(80)} white.`)
  const found: string[] = []
  for (const width of [1280, 390]) {
    const context = await fixture.newContext({ width, height: 800 })
    const page = await fixture.open('/needs-you', context)
    await row(page, 'Paint the fence').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await violations(page)))
    }
    if (!(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')))
      found.push(`scrolls sideways at ${width}`)
    if (width === 390) {
      await words(page, 'Paint the fence').fill('No paint.')
      await press(page, 'Paint the fence', 'Decline')
      await row(page, 'Paint the fence').waitFor({ state: 'detached' })
      await page.getByText('Answered ·').click()
      await page.getByRole('list', { name: 'Answered' }).getByText('Declined by operator').waitFor()
      await page.getByRole('link', { name: 'Open the task' }).first().click()
      await page.waitForURL((url) => url.pathname === `/board/${teamId}` && url.searchParams.get('task') === id)
      await page.getByText('Robin refused: No paint.').first().waitFor()
    }
    await context.close()
  }
  expect(found).toEqual([])
  const { task } = await client().getTask({ params: { taskId: id } })
  expect(task).toMatchObject({ status: 'blocked', assignee: null, reason: 'Robin refused: No paint.' })
  fixture.expectCalm()
}, 60_000)
