import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { startTalking } from './talking-page.ts'

const talking = startTalking()
const client = () => talking.client()
let made = 0
let kit: string

beforeAll(async () => {
  kit = await talking.makeBoo('Kit')
})

/** Each test gets its own team, with these tasks in To do. */
async function teamWith(...titles: readonly string[]) {
  made += 1
  const { team } = await client().createTeam({ body: { name: `Team ${made}`, memberIds: [kit] } })
  const ids: Record<string, string> = {}
  for (const title of titles) ids[title] = (await make(team.id, title)).id
  return { teamId: team.id, ids }
}

const make = (teamId: string, title: string, more = {}) =>
  client().createTask({ params: { teamId }, body: { title, ...more } })
const readTask = (taskId: string) => client().getTask({ params: { taskId } })
const statusOf = async (taskId: string) => (await readTask(taskId)).task.status
const column = (page: Page, title: string) => page.getByRole('region', { name: new RegExp(`^${title},`) })
const card = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })
const panel = (page: Page) => page.getByRole('complementary')

async function drag(page: Page, title: string, to: string): Promise<void> {
  const from = (await card(page, title).boundingBox())!
  const target = (await column(page, to).boundingBox())!
  await page.mouse.move(from.x + 20, from.y + 10)
  await page.mouse.down()
  await page.mouse.move(from.x + 30, from.y + 16)
  await page.mouse.move(target.x + target.width / 2, target.y + 200, { steps: 3 })
}

test('[PG200] a board has seven columns, and a card shows the assignee, the priority and why it waits', async () => {
  const { teamId, ids } = await teamWith('Agree the brief')
  const body = { kind: 'agent', id: kit } as const
  await make(teamId, 'Ship it', { assignee: body, priority: 'urgent', blockerIds: [ids['Agree the brief']] })
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Ship it').waitFor()
  const names = await page
    .locator('[data-column]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-column')))
  expect(names).toEqual(['backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled'])
  const words = await page.locator('[data-card]', { has: card(page, 'Ship it') }).innerText()
  expect(words).toMatch(/Kit[\s\S]*Urgent[\s\S]*waits for 1[\s\S]*Waits for “Agree the brief”/)
})

test('[PG202] a card can be dragged to the columns that the table allows, and any other column shows why it refuses', async () => {
  const { teamId, ids } = await teamWith('Write it', 'Read it')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Write it').waitFor()
  await drag(page, 'Write it', 'In progress')
  await page.getByText('In progress: not possible. A task moves to in progress only when it is claimed.').waitFor()
  expect(await column(page, 'In progress').getAttribute('data-refuses')).toBe('')
  await page.mouse.up()
  await page.getByRole('alert').getByText('“Write it” was not moved.').waitFor()
  expect(await statusOf(ids['Write it']!)).toBe('todo')
  await drag(page, 'Write it', 'Backlog')
  await page.mouse.up()
  await column(page, 'Backlog').getByRole('link', { name: 'Write it' }).waitFor()
  await expect.poll(() => statusOf(ids['Write it']!)).toBe('backlog')
  // Dropping a card on its own link opens nothing.
  expect(new URL(page.url()).search).toBe('')
})

test('[PG202] the keyboard alone moves a card, and the card keeps the focus', async () => {
  const { teamId, ids } = await teamWith('Write it', 'Read it')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Write it').focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Read it')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press(' ')
  await page.getByText('“Write it” stays in To do.').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('In progress: not possible.').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press(' ')
  await column(page, 'Backlog').getByRole('link', { name: 'Write it' }).waitFor()
  await expect.poll(() => statusOf(ids['Write it']!)).toBe('backlog')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Write it')
})

test('[PG203] a move to done without evidence is undone, shows the server’s reason and links to the task', async () => {
  const { teamId, ids } = await teamWith('Prove it', 'Other')
  await client().signOffTask({ params: { taskId: ids.Other! } })
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Prove it').waitFor()
  await drag(page, 'Prove it', 'Done')
  await page.mouse.up()
  const note = page.getByRole('alert')
  await note.getByText('“Prove it” was not moved. Nothing shows that the task is done.').waitFor()
  await column(page, 'To do').getByRole('link', { name: 'Prove it' }).waitFor()
  await note.getByRole('button', { name: 'Open the task' }).click()
  await panel(page).getByText('Missing for done: Nothing shows that the task is done.').waitFor()
})

test('[PG204] blocking a task requires a reason, and the card shows it', async () => {
  const { teamId, ids } = await teamWith('Ask legal')
  const page = await talking.fixture.open(`/board/${teamId}?task=${ids['Ask legal']}`)
  await panel(page).getByRole('button', { name: 'Move' }).click()
  await page.getByRole('menuitem', { name: /Blocked/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Block “Ask legal”?' })
  await dialog.getByRole('button', { name: 'Block it' }).click()
  await dialog.getByText('Enter a reason').waitFor()
  await dialog.getByLabel('Why').fill('They answer on Thursday.')
  await dialog.getByRole('button', { name: 'Block it' }).click()
  await column(page, 'Blocked').getByText('They answer on Thursday.').waitFor()
})

test('[PG205] filters are in the address, and a board without matches shows how to see more', async () => {
  const { teamId } = await teamWith('Write the page', 'Read the page')
  await make(teamId, 'Fix the page', { priority: 'high' })
  const page = await talking.fixture.open(`/board/${teamId}`)
  await page.getByLabel('Priority').selectOption('high')
  await card(page, 'Write the page').waitFor({ state: 'detached' })
  await card(page, 'Fix the page').waitFor()
  expect(page.url()).toContain('priority=high')
  await page.reload()
  await card(page, 'Fix the page').waitFor()
  await page.getByRole('searchbox').fill('read')
  await page.getByText('No tasks match').waitFor()
  await page.getByRole('button', { name: 'Show all tasks' }).click()
  await card(page, 'Write the page').waitFor()
  await page.getByLabel('Who').selectOption('none')
  await expect.poll(() => page.url()).toContain('who=none')
})

test('[PG206] a task is created with all its fields, and leaving the form keeps the draft', async () => {
  const { teamId, ids } = await teamWith('First')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await page.getByRole('button', { name: 'New task' }).click()
  await panel(page).getByLabel('Title').fill('Second')
  await page.getByLabel('Description').fill('In **two** parts')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'New task' }).click()
  expect(await panel(page).getByLabel('Title').inputValue()).toBe('Second')
  await page.getByLabel('Assignee').selectOption({ label: 'Kit' })
  await panel(page).getByLabel('Priority').selectOption('low')
  await page.getByLabel('Edits project files').check()
  await page.getByLabel('Start in').selectOption('backlog')
  await page.getByRole('combobox', { name: 'Find a task it waits for' }).fill('fir')
  await page.getByRole('option', { name: /First/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Do not wait for First' }).waitFor()
  await page.getByRole('button', { name: 'Create task' }).click()
  await panel(page).getByRole('heading', { name: 'Second' }).waitFor()
  const { task, blockers } = await readTask(new URL(page.url()).searchParams.get('task')!)
  expect(task).toMatchObject({
    body: 'In **two** parts',
    status: 'backlog',
    priority: 'low',
    assignee: { kind: 'agent', id: kit },
    changesFiles: true,
  })
  expect(blockers.map(({ id }) => id)).toEqual([ids.First])
})

test('[PG207] a task has an address: Back closes it, a reload keeps it open, and focus moves there and back', async () => {
  const { teamId } = await teamWith('Look at me')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Look at me').focus()
  await page.keyboard.press('Enter')
  await panel(page).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H2')
  await page.keyboard.press('Escape')
  await panel(page).waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Look at me')
  await page.keyboard.press('Enter')
  await page.reload()
  await panel(page).getByRole('heading', { name: 'Look at me' }).waitFor()
  await page.goBack()
  await panel(page).waitFor({ state: 'detached' })
  await page.goto(`${talking.fixture.server.url}/board/${teamId}?task=nobody`)
  await page.getByText('Task not found').waitFor()
})

test('[PG208] a link is added and removed, and a cycle is refused with a sentence', async () => {
  const { teamId, ids } = await teamWith('Before', 'After')
  const page = await talking.fixture.open(`/board/${teamId}?task=${ids.After}`)
  const add = async (title: string) => {
    await panel(page).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('combobox', { name: 'Find a task it waits for' }).fill(title)
    await page.getByRole('option', { name: new RegExp(title) }).click()
  }
  await add('Before')
  await panel(page).getByRole('list', { name: 'Waits for' }).getByRole('link', { name: 'Before' }).click()
  await panel(page).getByRole('heading', { name: 'Before' }).waitFor()
  await add('After')
  await panel(page)
    .getByRole('alert')
    .getByText(/^Couldn't update the links\./)
    .waitFor()
  expect((await readTask(ids.Before!)).blockers).toEqual([])
  await page.goto(`${talking.fixture.server.url}/board/${teamId}?task=${ids.After}`)
  await page.getByRole('button', { name: 'No longer wait for Before' }).click()
  await panel(page).getByText('None', { exact: true }).waitFor()
  expect((await readTask(ids.After!)).blockers).toEqual([])
})

test('[PG209] a sign-off closes a task by name, and an override requires a reason that stays visible', async () => {
  const { teamId, ids } = await teamWith('Sign me', 'Override me')
  const page = await talking.fixture.open(`/board/${teamId}?task=${ids['Sign me']}`)
  await panel(page).getByRole('button', { name: 'Approve' }).click()
  await panel(page).getByText('Approved by Operator').waitFor()
  expect(await statusOf(ids['Sign me']!)).toBe('done')
  await card(page, 'Override me').click()
  await panel(page).getByRole('button', { name: 'Done without evidence' }).click()
  await panel(page).getByRole('button', { name: 'Mark done' }).click()
  await panel(page).getByText('Enter a reason.').waitFor()
  await panel(page).getByLabel('Why it is done without evidence').fill('I saw it on the screen')
  await panel(page).getByRole('button', { name: 'Mark done' }).click()
  await panel(page)
    .getByText('Operator marked it done although nothing showed that it was done: “I saw it on the screen”')
    .waitFor()
  expect(await statusOf(ids['Override me']!)).toBe('done')
})

test('[PG210] a comment is stored with the task and appears on another open page', async () => {
  const { teamId, ids } = await teamWith('Talk about it')
  const address = `/board/${teamId}?task=${ids['Talk about it']}`
  const page = await talking.fixture.open(address)
  const other = await talking.fixture.open(address)
  await panel(other).getByText('No comments yet.').waitFor()
  await page.getByLabel('Write a comment').fill('Mind the **phone**')
  await panel(page).getByRole('button', { name: 'Comment', exact: true }).click()
  for (const one of [page, other]) {
    const comments = panel(one).getByRole('list', { name: 'Comments' })
    await comments.getByText('phone').waitFor()
    expect(await comments.innerText()).toMatch(/^You/)
  }
  expect(await page.getByLabel('Write a comment').inputValue()).toBe('')
})

test('[PG201] a card that another program moves also moves here without a reload', async () => {
  const { teamId, ids } = await teamWith('Move me')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await card(page, 'Move me').waitFor()
  await client().moveTask({ params: { taskId: ids['Move me']! }, body: { to: 'backlog' } })
  await column(page, 'Backlog').getByRole('link', { name: 'Move me' }).waitFor()
  await make(teamId, 'New here')
  await column(page, 'To do').getByRole('link', { name: 'New here' }).waitFor()
})

test('[PG213] a team’s project is set on the team’s page, and a refused folder shows why', async () => {
  const { teamId } = await teamWith()
  const page = await talking.fixture.open(`/teams/${teamId}`)
  await page.getByRole('button', { name: 'Choose a folder' }).click()
  await page.getByLabel('Project folder').fill('not/whole')
  await page.getByLabel('Check command').fill('true')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.getByLabel('Project folder').getAttribute('aria-invalid')).toBe('true')
  expect((await client().getTeamProject({ params: { teamId } })).folder).toBeNull()
  await page.getByLabel('Project folder').fill(import.meta.dirname)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(import.meta.dirname).waitFor()
  expect(await client().getTeamProject({ params: { teamId } })).toMatchObject({
    folder: import.meta.dirname,
    checkCommand: 'true',
  })
  expect(await violations(page)).toEqual([])
})
