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
      [`/board/${team.id}?task=new`, 'Make task'],
      [`/board/${team.id}?q=nothing`, 'No task fits'],
      [`/board/${bare.id}`, 'No task yet'],
      ['/board/nobody', 'This team is not here'],
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

test('[PG212] a column of thousands draws only what is on the screen, and loads on from its end', async () => {
  const { team } = await client().createTeam({ body: { name: 'Much' } })
  for (let at = 0; at < 260; at += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client().createTask({
          params: { teamId: team.id },
          body: { title: `Task number ${at + index}`, status: 'backlog' },
        }),
      ),
    )
  }
  const page = await talking.fixture.open(`/board/${team.id}`)
  await page.getByRole('region', { name: 'Backlog, 100+ tasks' }).waitFor()
  expect(await page.locator('[data-card]').count()).toBeLessThan(40)
  const cards = page.locator('[data-column=backlog] [data-cards]')
  await cards.evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.getByRole('button', { name: 'Load more tasks' }).click()
  await page.getByRole('region', { name: 'Backlog, 260 tasks' }).waitFor()
  expect(await page.locator('[data-card]').count()).toBeLessThan(40)
  // The beginning is read again after a change; what was loaded behind it stays.
  await client().createTask({ params: { teamId: team.id }, body: { title: 'One more', status: 'backlog' } })
  await page.getByRole('region', { name: 'Backlog, 261 tasks' }).waitFor()
}, 60_000)
