import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { startTalking } from './talking-page.ts'

const talking = startTalking()
const client = () => talking.client()
let teamId: string

beforeAll(async () => {
  teamId = (await client().createTeam({ body: { name: 'Launch' } })).team.id
})

const make = (title: string, more = {}) => client().createTask({ params: { teamId }, body: { title, ...more } })
const you = { kind: 'person', id: 'operator' } as const
const card = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const panel = (page: Page) => page.getByRole('complementary')
const focused = (page: Page) => page.evaluate('document.activeElement.textContent')
const column = (page: Page, status: string) => page.locator(`[data-column=${status}]`)

test('[PG217] an operator who is the assignee is shown as “you” on the card, in the filter, in the task and in Needs you', async () => {
  const { id } = await make('Read the brief', { assignee: you })
  const page = await talking.fixture.open(`/board/${teamId}`)
  const words = await page.locator('[data-card]', { has: card(page, 'Read the brief') }).innerText()
  expect(words).toMatch(/You\s+Needs you/)
  await page.getByLabel('Who').selectOption({ label: 'You' })
  await expect.poll(() => decodeURIComponent(page.url())).toContain('who=person:operator')
  await card(page, 'Read the brief').click()
  await panel(page).getByText('Needs you').waitFor()
  expect(await page.locator('body').innerText()).not.toContain('person:operator')
  await page.goto(`${talking.fixture.server.url}/needs-you`)
  await page.getByText('Assigned to you by Operator').waitFor()
  await page.getByLabel('Reply').fill('On it')
  await page.getByRole('button', { name: 'Start' }).press('Enter')
  await page.getByRole('button', { name: 'Start' }).waitFor({ state: 'detached' })
  await page.goto(`${talking.fixture.server.url}/board/${teamId}?task=${id}`)
  await panel(page).getByRole('list', { name: 'Attempts' }).getByText('1. You').waitFor()
  await column(page, 'in_progress')
    .getByText(/^With you/)
    .waitFor()
})

test('[PG218] an unsaved edit, reason and answer are still there after a reload', async () => {
  const { id } = await make('Water the ferns', { assignee: you, body: 'All of them.' })
  const page = await talking.fixture.open(`/board/${teamId}?task=${id}`)
  await panel(page).getByRole('button', { name: 'Edit' }).click()
  await panel(page).getByRole('textbox', { name: 'Description' }).fill('All but the moss.')
  await panel(page).getByRole('button', { name: 'Close the task' }).click()
  await card(page, 'Water the ferns').click()
  await expect
    .poll(() => panel(page).getByRole('textbox', { name: 'Description' }).inputValue())
    .toBe('All but the moss.')
  await page.reload()
  await panel(page).getByText('Your earlier edits are still here. They are not saved yet.').waitFor()
  await panel(page).getByRole('button', { name: 'Save' }).click()
  await panel(page).getByRole('textbox', { name: 'Description' }).waitFor({ state: 'detached' })
  await page.reload()
  await panel(page).getByText('All but the moss.').waitFor()
  expect(await panel(page).getByRole('textbox', { name: 'Description' }).count()).toBe(0)

  await panel(page).getByRole('button', { name: 'Done without evidence' }).click()
  await panel(page).getByLabel('Why it is done without evidence').fill('I saw it')
  await panel(page).getByRole('button', { name: 'Move' }).click()
  await page.getByRole('menuitem', { name: /Blocked/ }).click()
  await page.getByRole('dialog').getByLabel('Why').fill('No can')
  await page.reload()
  await expect.poll(() => panel(page).getByLabel('Why it is done without evidence').inputValue()).toBe('I saw it')
  await panel(page).getByRole('button', { name: 'Move' }).click()
  await page.getByRole('menuitem', { name: /Blocked/ }).click()
  expect(await page.getByRole('dialog').getByLabel('Why').inputValue()).toBe('No can')

  await page.goto(`${talking.fixture.server.url}/needs-you`)
  const item = page.getByRole('listitem', { name: 'Water the ferns' })
  await item.getByLabel('Reply').fill('Which can?')
  await page.reload()
  await expect.poll(() => item.getByLabel('Reply').inputValue()).toBe('Which can?')
})

test('[PG221] focus returns to where it was after a task, a form, a menu and a dialog', async () => {
  const { id } = await make('Come back')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await page.getByRole('button', { name: 'New task' }).focus()
  await page.keyboard.press('Enter')
  await panel(page).getByLabel('Title').waitFor()
  await panel(page).getByRole('button', { name: 'Save draft' }).press('Enter')
  await expect.poll(() => focused(page)).toBe('New task')
  await card(page, 'Come back').focus()
  await page.keyboard.press('Enter')
  await panel(page).waitFor()
  await page.goBack()
  await panel(page).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('Come back')
  await page.keyboard.press('Enter')
  await panel(page).getByRole('button', { name: 'Edit' }).press('Enter')
  await panel(page).getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect.poll(() => focused(page)).toBe('Edit')
  await panel(page).getByRole('button', { name: 'Move' }).press('Enter')
  await page.getByRole('menuitem', { name: /Blocked/ }).press('Enter')
  await page.getByRole('dialog').getByLabel('Why').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('Move')
  expect((await client().getTask({ params: { taskId: id } })).task.status).toBe('todo')
})

test('[PG224] the column under a card held with the keyboard is in view', async () => {
  await make('Carry me')
  for (const [title, to] of [
    ['Stuck', 'blocked'],
    ['Given up', 'cancelled'],
  ] as const) {
    const { id } = await make(title)
    await client().moveTask({ params: { taskId: id }, body: { to, reason: 'No use' } })
  }
  const context = await talking.fixture.newContext({ width: 760, height: 700 })
  const page = await talking.fixture.open(`/board/${teamId}`, context)
  const right = async (status: string) => {
    const box = (await column(page, status).boundingBox())!
    return box.x + box.width
  }
  await card(page, 'Carry me').focus()
  expect(await right('cancelled')).toBeGreaterThan(760)
  await page.keyboard.press(' ')
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowRight')
  await page.getByText('To Cancelled. Requires a reason.').waitFor()
  await expect.poll(() => right('cancelled')).toBeLessThanOrEqual(760)
  await page.keyboard.press('Escape')
  await context.close()
})

/** Every control that is too small for touch. */
const TOO_SMALL = `[...document.querySelectorAll('#main :is(a, button, input:not([type=checkbox]), select, textarea, summary)')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
  .filter((one) => {
    const after = getComputedStyle(one, '::after')
    const { width, height } = one.getBoundingClientRect()
    return Math.max(height, parseFloat(after.height) || 0) < 40 || Math.max(width, parseFloat(after.width) || 0) < 40
  })
  .map((one) => one.getAttribute('aria-label') ?? one.textContent)`

test('[PG222] at phone width every control is 40 pixels high, and the filters fold behind a button that counts them', async () => {
  const { id } = await make('Press me', { assignee: you })
  await make('Wait for it', { blockerIds: [id], assignee: you })
  const context = await talking.fixture.newContext({ width: 390, height: 800 })
  const page = await context.newPage()
  for (const [path, ready] of [
    [`/board/${teamId}`, 'Press me'],
    [`/board/${teamId}?task=new`, 'Create task'],
    [`/board/${teamId}?task=${id}`, 'Wait for it'],
    ['/needs-you', 'Press me'],
    [`/teams/${teamId}`, 'Choose a folder'],
  ] as const) {
    await page.goto(talking.fixture.server.url + path)
    await page.getByText(ready).first().waitFor()
    expect([path, await page.evaluate(TOO_SMALL)]).toEqual([path, []])
  }
  await page.goto(`${talking.fixture.server.url}/board/${teamId}`)
  expect(await page.getByLabel('Priority').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Priority').selectOption('urgent')
  await page.getByRole('button', { name: 'Filter (1)' }).click()
  expect(await page.getByLabel('Priority').isVisible()).toBe(false)
  await context.close()
}, 60_000)
