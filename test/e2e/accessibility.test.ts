import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { isSoak, testSeed } from '../seed.ts'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'
import { makeReviewedTask } from './reviewed-task.ts'

let fixture: PageFixture
let places: readonly (readonly [path: string, ready: string])[]

beforeAll(async () => {
  fixture = await startPage()
  const { client } = fixture.server
  const { team } = await client.createTeam({ body: { name: 'Launch', description: 'Ships.' } })
  const ada = await client.createAgent({ body: { name: 'Ada', teamId: team.id, personalityConfig: { role: 'Leads' } } })
  await client.createAgent({ body: { name: 'Sam', participantKind: 'human', teamId: team.id } })
  const file = { agentId: ada.id, fileName: 'SOUL.md' } as const
  await client.writeAgentFile({ params: file, body: { content: '# One\n\n**bold** `code`\n', baseRevision: 0 } })
  await client.writeAgentFile({
    params: file,
    body: { content: '# Two\n\n[link](https://example.org)\n', baseRevision: 1 },
  })
  places = [
    ['/', 'Ada'],
    ['/?q=nobody', 'No Boos match'],
    [`/agents/${ada.id}/identity`, 'Its name and how it looks'],
    [`/agents/${ada.id}`, 'Message Ada'],
    [`/agents/${ada.id}/set-up`, 'A command that this computer confines'],
    ['/runs', 'No runs yet'],
    [`/agents/${ada.id}/sessions`, 'No sessions yet'],
    [`/agents/${ada.id}/files`, 'SOUL.md'],
    [`/agents/${ada.id}/files/SOUL.md?history=true`, 'Revision 1'],
    [`/agents/${ada.id}/files/SOUL.md?history=true&revision=1`, 'against the current version'],
    [`/teams/${team.id}`, 'Ada leads'],
    ['/teams/new', 'Create team'],
    ['/new', 'Create Boo'],
    ['/settings', 'SQLite'],
    ['/settings/models', 'Add your own provider'],
    ['/settings/limits', 'Whole server'],
    ['/needs-you', "You're all caught up"],
    ['/runtimes', 'Nothing to connect'],
    ['/api-docs', 'Agent files'],
    ['/agents/nobody', 'Boo not found'],
    ['/sign-in', 'Open the sign-in link'],
  ]
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

const THEMES = ['light', 'dark'] as const
const WIDTHS = ['desk', 'phone'] as const

/** A soak covers every page in both themes at both widths; any other run covers one combination, chosen by the seed. */
function themesOf(place: number, width: (typeof WIDTHS)[number]): readonly (typeof THEMES)[number][] {
  if (isSoak) return THEMES
  const chosen = (place + testSeed) % 4
  return WIDTHS[chosen >> 1] === width ? [THEMES[chosen & 1]!] : []
}

async function audit(context: BrowserContext, width: (typeof WIDTHS)[number], audited = places): Promise<string[]> {
  const page = await context.newPage()
  const found: string[] = []
  for (const [at, [path, ready]] of audited.entries()) {
    const themes = themesOf(at, width)
    if (themes.length === 0) continue
    await page.goto(fixture.server.url + path)
    await page.getByText(ready).first().waitFor()
    if (!(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))) {
      found.push(`${path} scrolls sideways`)
    }
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme })
      found.push(...(await violations(page)).map((line) => `${colorScheme}: ${line}`))
    }
  }
  await page.close()
  return found
}

test('[PG11] axe finds nothing on any page, in light and in dark', async () => {
  expect(await audit(fixture.context, 'desk')).toEqual([])
}, 180_000)

test('[PG11] axe finds nothing at phone width, and no page scrolls sideways', async () => {
  const context = await fixture.newContext({ width: 390, height: 844 })
  expect(await audit(context, 'phone')).toEqual([])
  await context.close()
}, 180_000)

test('[PG11] axe finds nothing on a board, in a task, in its changes and in a person’s task, at both widths', async () => {
  const { client } = fixture.server
  const { teamId, taskId, changes, remove } = await makeReviewedTask(fixture)
  const make = (title: string, more = {}) => client.createTask({ params: { teamId }, body: { title, ...more } })
  await make('Ship it', { blockerIds: [taskId], priority: 'urgent' })
  await make('Read the brief', { assignee: { kind: 'person', id: 'operator' }, body: 'All of it.' })
  const { id: legal } = await make('Ask legal')
  await client.moveTask({ params: { taskId: legal }, body: { to: 'blocked', reason: 'No answer' } })
  for (const [body, line] of [
    ['Say hello', 1],
    ['> Removed line 2: `Old words`\n\nWhy?', null],
  ] as const) {
    const file = line === null ? 'readme.txt' : 'greeting.txt'
    await client.commentTask({ params: { taskId }, body: { body, file, line } })
  }
  const board = [
    [`/board/${teamId}`, 'Ship it'],
    [`/board/${teamId}?task=${taskId}`, 'Evidence'],
    [changes, 'Say hello'],
    ['/needs-you', 'Assigned to you'],
    [`/teams/${teamId}`, 'A git repository'],
  ] as const
  const phone = await fixture.newContext({ width: 390, height: 844 })
  expect([...(await audit(fixture.context, 'desk', board)), ...(await audit(phone, 'phone', board))]).toEqual([])
  await phone.close()
  remove()
}, 180_000)

test('[PG11] axe finds nothing in dialogs, the palette, menus and forms with errors', async () => {
  const page = await fixture.open('/')
  await page.getByRole('link', { name: /Ada/ }).waitFor()
  const found: string[] = []
  const check = async () => void found.push(...(await violations(page)))
  await page.getByRole('button', { name: 'Group: team' }).click()
  await page.getByRole('menuitem', { name: 'Runtime' }).waitFor()
  await check()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+K')
  await page.getByRole('option').first().waitFor()
  await check()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await check()
  await page.goto(`${fixture.server.url}${places[2]![0]}`)
  await page.getByRole('button', { name: 'Delete Ada' }).click()
  await check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Must not be empty.').waitFor()
  await check()
  expect(found).toEqual([])
  await page.close()
})

test('[PG11] axe finds nothing on the signed-out page', async () => {
  const context = await fixture.newContext({ signedIn: false })
  const page = await context.newPage()
  await page.goto(fixture.server.url)
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  expect(await violations(page)).toEqual([])
  await context.close()
})

test('[PG10] at phone width the rail is a drawer that opens and closes', async () => {
  const context = await fixture.newContext({ width: 390, height: 844 })
  const page = await fixture.open('/', context)
  expect(await page.getByRole('link', { name: 'Settings' }).isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog', { name: 'Places' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  expect(await page.getByRole('dialog', { name: 'Places' }).count()).toBe(0)
  await context.close()
})
