import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { startTalking } from './talking-page.ts'

const talking = startTalking()
const client = () => talking.client()

async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await violations(page)).map((line) => `dark: ${line}`)]
}

test('[PG215] axe finds nothing on the board, in a task and in its forms; a phone shows one column at a time', async () => {
  const { team } = await client().createTeam({ body: { name: 'Launch' } })
  const make = (title: string, more = {}) =>
    client().createTask({ params: { teamId: team.id }, body: { title, ...more } })
  const first = await make('Agree the brief', { priority: 'high', body: 'With `code`' })
  const second = await make('Ship it', { blockerIds: [first.id] })
  const third = await make('Ask legal')
  await client().moveTask({ params: { taskId: third.id }, body: { to: 'blocked', reason: 'No answer' } })
  await client().overrideTask({ params: { taskId: third.id }, body: { reason: 'It was agreed' } })
  await client().commentTask({ params: { taskId: second.id }, body: { body: 'Look', file: 'a.ts', line: 3 } })
  const { team: bare } = await client().createTeam({ body: { name: 'Bare' } })
  const found: string[] = []
  for (const width of [1280, 390]) {
    const context = await talking.fixture.newContext({ width, height: 800 })
    const page = await context.newPage()
    const places = [
      [`/board/${team.id}`, 'Agree the brief'],
      [`/board/${team.id}?task=${second.id}`, 'a.ts:3'],
      [`/board/${team.id}?task=${third.id}`, 'It was agreed'],
      [`/board/${team.id}?task=new`, 'Create task'],
      [`/board/${team.id}?q=nothing`, 'No tasks match'],
      [`/board/${bare.id}`, 'No tasks yet'],
      ['/board/nobody', 'Team not found'],
    ] as const
    for (const [path, ready] of places) {
      await page.goto(talking.fixture.server.url + path)
      await page.getByText(ready).first().waitFor()
      found.push(...(await violationsInBoth(page)))
      if (!(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')))
        found.push(`${path} scrolls sideways at ${width}`)
    }
    if (width === 390) {
      await page.goto(`${talking.fixture.server.url}/board/${team.id}`)
      await page.getByRole('link', { name: 'Ship it' }).waitFor()
      expect(
        await page.locator('[data-column]').evaluateAll((all) => all.filter((one) => one.checkVisibility()).length),
      ).toBe(1)
      await page.getByLabel('Column').selectOption('done')
      await page.getByRole('link', { name: 'Ask legal' }).waitFor()
      expect(page.url()).toContain('column=done')
    }
    await context.close()
  }
  expect(found).toEqual([])
}, 120_000)

/** Copies one task many times in the database, because the API would take a minute. */
function multiply(home: string, taskId: string, copies: number): void {
  const database = new DatabaseSync(join(home, 'clawboo.sqlite'), { timeout: 10_000 })
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('tasks') WHERE name NOT IN ('id', 'title', 'position')")
    .all()
    .map(({ name }) => name)
  database
    .prepare(
      `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?)
       INSERT INTO tasks (id, title, position, ${columns})
       SELECT id || '-' || n, 'Task number ' || n, position + n, ${columns} FROM copy JOIN tasks ON tasks.id = ?`,
    )
    .run(copies, taskId)
  database.close()
}

/** A team with three thousand tasks in its backlog. */
async function teamWithMuch(name: string): Promise<string> {
  const { team } = await client().createTeam({ body: { name } })
  const body = { title: 'Task number 0', status: 'backlog' } as const
  const { id } = await client().createTask({ params: { teamId: team.id }, body })
  multiply(talking.fixture.server.home, id, 2_999)
  return team.id
}

const card = (page: Page, at: number) => page.getByRole('link', { name: `Task number ${at}`, exact: true })
const drawn = (page: Page) => page.locator('[data-card]').count()

test('[PG212] a column of three thousand cards renders only the visible ones and scrolls to its end', async () => {
  const teamId = await teamWithMuch('Much to scroll')
  const page = await talking.fixture.open(`/board/${teamId}`)
  await page.getByRole('region', { name: 'Backlog, 100+ tasks' }).waitFor()
  expect(await drawn(page)).toBeLessThan(40)
  const cards = page.locator('[data-column=backlog] [data-cards]')
  const down = async () => {
    await cards.evaluate((box) => box.scrollTo(0, box.scrollHeight))
    return card(page, 2999).isVisible()
  }
  await expect.poll(down, { timeout: 60_000 }).toBe(true)
  await page.getByRole('region', { name: 'Backlog, 3,000 tasks' }).waitFor()
  expect(await drawn(page)).toBeLessThan(40)
  expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500)
  // A change fetches the start of the column again; the cards loaded after it stay.
  await client().createTask({ params: { teamId }, body: { title: 'One more', status: 'backlog' } })
  await page.getByRole('region', { name: 'Backlog, 3,001 tasks' }).waitFor()
}, 90_000)

test('[PG220] the keyboard reaches the last of three thousand cards, and the first again', async () => {
  const page = await talking.fixture.open(`/board/${await teamWithMuch('Much to press')}`)
  await card(page, 0).focus()
  const focused = () => page.evaluate('document.activeElement.textContent')
  const end = async () => {
    await page.keyboard.press('End')
    return focused()
  }
  await expect.poll(end, { timeout: 60_000 }).toBe('Task number 2999')
  expect(await card(page, 2999).isVisible()).toBe(true)
  expect(await drawn(page)).toBeLessThan(40)
  await page.keyboard.press('ArrowUp')
  await expect.poll(focused).toBe('Task number 2998')
  await page.keyboard.press('Home')
  await expect.poll(focused).toBe('Task number 0')
}, 90_000)
