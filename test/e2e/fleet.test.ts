import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

/** The shape and colour of the avatar in a part of the page. */
async function look(page: Page, place: string): Promise<(string | null)[]> {
  const body = page.locator(`${place} svg[data-eyes] > path`).first()
  return [await body.getAttribute('d'), await body.getAttribute('fill')]
}

test('[PG16] an empty fleet explains what a Boo is and how to create one', async () => {
  const page = await fixture.open('/')
  await page.getByText('A Boo is an AI agent with a name').waitFor()
  // The list of programs moves the button down when it loads.
  await expect.poll(() => page.getByText(/^(Loading|Refreshing)/).count()).toBe(0)
  await page.getByRole('button', { name: 'Skip and look around' }).click()
  await page.getByText('clawboo agents create').waitFor()
  await page.getByRole('link', { name: 'Create your first Boo' }).click()
  await page.getByRole('heading', { name: 'New Boo' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/new')
  await page.close()
})

test('[PG20] a new Boo has its name, role, avatar and SOUL.md', async () => {
  const page = await fixture.open('/new')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Role').fill('Leads the team')
  await page.getByLabel('SOUL.md').fill('Be calm.')
  const before = await look(page, 'form')
  await page.getByRole('button', { name: 'Another avatar' }).click()
  const chosen = await look(page, 'form')
  expect(chosen).not.toEqual(before)
  await page.getByRole('button', { name: 'Create Boo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
  await page.getByText('Ada created').waitFor()
  await page.getByRole('link', { name: 'Identity' }).click()
  expect(await page.locator('dl').first().textContent()).toContain('Leads the team')
  expect(await look(page, 'main header')).toEqual(chosen)
  const { agents } = await fixture.server.client.listAgents({})
  const ada = agents.find((agent) => agent.displayName === 'Ada')!
  const soul = await fixture.server.client.readAgentFile({ params: { agentId: ada.id, fileName: 'SOUL.md' } })
  expect(soul.content).toBe('Be calm.')
  await page.close()
})

test('[PG21] a refused value shows the problem at its field, and no typed text is lost', async () => {
  const { team } = await fixture.server.client.createTeam({ body: { name: 'Names' } })
  await fixture.server.client.createAgent({ body: { name: 'Twin', teamId: team.id } })
  const page = await fixture.open(`/new?team=${team.id}`)
  await page.getByLabel('Role').fill('Nobody yet')
  await page.getByRole('button', { name: 'Create Boo' }).click()
  const name = page.getByLabel('Name')
  await page.getByText('Must not be empty.').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('Twin')
  await page.getByRole('button', { name: 'Create Boo' }).click()
  await page.getByText('has this name already').waitFor()
  expect(await page.getByLabel('Role').inputValue()).toBe('Nobody yet')
  await page.close()
})

test('[PG22] a person is created and shown as a person', async () => {
  const page = await fixture.open('/new')
  await page.getByLabel('Name').fill('Sam')
  await page.getByLabel('Person').check()
  await page.getByRole('button', { name: 'Add person' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sam' }).waitFor()
  await page.getByRole('link', { name: 'Fleet' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Sam' })
  await row.getByText('Person').first().waitFor()
  await page.close()
})

test('[PG8] filter, search and grouping are in the address: a reload keeps them and Back works', async () => {
  await fixture.server.client.createAgent({ body: { name: 'Moss', personalityConfig: { role: 'Copy' } } })
  const page = await fixture.open('/')
  await page.getByText('Moss').waitFor()
  await page.getByLabel('Search by name or role').fill('copy')
  await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Ada' }).count()).toBe(0)
  expect(new URL(page.url()).search).toBe('?q=copy')
  await page.getByRole('button', { name: 'Group: team' }).click()
  await page.getByRole('menuitem', { name: 'Runtime' }).click()
  await page.getByRole('button', { name: 'Group: runtime' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Group: runtime' }).waitFor()
  expect(await page.getByLabel('Search by name or role').inputValue()).toBe('copy')
  await page.goBack()
  await page.getByRole('button', { name: 'Group: team' }).waitFor()
  await page.getByRole('link', { name: /Moss/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Moss' }).waitFor()
  await page.goBack()
  expect(await page.getByLabel('Search by name or role').inputValue()).toBe('copy')
  await page.getByRole('button', { name: /^Idle/ }).click()
  expect(new URL(page.url()).search).toContain('state=idle')
  await page.close()
})

test('[PG30] changes by another program appear without a reload and without fetching the fleet again', async () => {
  const page = await fixture.open('/')
  await page.getByText('Moss').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const { client } = fixture.server
  const agent = await client.createAgent({ body: { name: 'Kit' } })
  await page.getByRole('link', { name: /Kit/ }).waitFor()
  await client.updateAgent({
    params: { agentId: agent.id },
    body: { name: 'Kitty', personalityConfig: { role: 'Front end' } },
  })
  await page.getByRole('link', { name: /Kitty Front end/ }).waitFor()
  const { team } = await client.createTeam({ body: { name: 'Launch', memberIds: [agent.id] } })
  await page.getByRole('heading', { name: 'Launch' }).waitFor()
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Launch' }).waitFor()
  await client.deleteTeam({ params: { teamId: team.id } })
  await expect.poll(() => page.getByText('Launch').count()).toBe(0)
  expect(await page.getByRole('link', { name: /Kitty/ }).count()).toBe(1)
  await client.deleteAgent({ params: { agentId: agent.id } })
  await expect.poll(() => page.getByRole('link', { name: /Kitty/ }).count()).toBe(0)
  expect(asked.filter((path) => path === '/api/agents' || path === '/api/teams')).toEqual([])
  await page.close()
})

test('[PG7] the rail shows that the page is live', async () => {
  const page = await fixture.open('/')
  await page.getByRole('navigation', { name: 'Places' }).getByText('Live').waitFor()
  await page.close()
})

test('[PG39] an unknown address shows that it does not exist and links back', async () => {
  for (const [path, words] of [
    ['/agents/nobody', 'Boo not found'],
    ['/teams/nobody', 'Team not found'],
    ['/no/such/page', 'Page not found'],
  ] as const) {
    const page = await fixture.context.newPage()
    await page.goto(fixture.server.url + path)
    await page.getByRole('heading', { name: words }).waitFor()
    await page.getByRole('link', { name: 'Go to Fleet' }).click()
    await page.getByRole('heading', { name: 'Fleet' }).waitFor()
    await page.close()
  }
})

test('[PG44] letters typed into the middle of the search field stay there', async () => {
  const page = await fixture.open('/?q=Ee')
  const search = page.getByRole('searchbox', { name: 'Search by name or role' })
  await search.focus()
  await page.keyboard.press('Home')
  await page.keyboard.type('XYZ')
  expect(await search.inputValue()).toBe('XYZEe')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('XYZEe')
  await page.evaluate('history.replaceState(history.state, "", "/"); history.go(0)')
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
  await expect.poll(() => search.inputValue()).toBe('')
  await page.close()
})

test('[PG45] leaving a form with typed text asks first', async () => {
  const page = await fixture.open('/new')
  await page.getByLabel('Name').fill('Half typed')
  await page.getByRole('link', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
  await page.getByRole('link', { name: 'Settings' }).click()
  await dialog.getByRole('button', { name: 'Discard it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.close()
})
