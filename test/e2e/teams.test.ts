import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture
const ids: Record<string, string> = {}

beforeAll(async () => {
  fixture = await startPage()
  for (const name of ['Ada', 'Kit', 'Moss']) {
    ids[name] = (await fixture.server.client.createAgent({ body: { name } })).id
  }
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

const membersOf = async (teamId: string) => (await fixture.server.client.getTeam({ params: { teamId } })).memberIds

test('[PG35] a team is created with members, gains more, loses one, and is edited in place', async () => {
  const page = await fixture.open('/teams/new')
  await page.getByLabel('Name', { exact: true }).fill('Launch')
  await page.getByLabel('Description').fill('Ships the page.')
  await page.getByLabel('Find a Boo by name or role').fill('ki')
  await page.getByRole('option', { name: /Kit/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Leave Kit out' }).waitFor()
  await page.getByRole('button', { name: 'Create team' }).click()
  await page.getByRole('heading', { level: 1, name: 'Launch' }).waitFor()
  const teamId = new URL(page.url()).pathname.split('/').at(-1)!
  expect(await membersOf(teamId)).toEqual([ids.Kit])

  await page.getByRole('button', { name: 'Add members' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add to Launch' })
  await dialog.getByLabel('Find a Boo by name or role').fill('moss')
  await dialog.getByRole('option', { name: /Moss/ }).click()
  await page.getByText('Moss added to Launch').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const members = page.getByRole('list', { name: 'Members of Launch' })
  expect(await members.getByRole('listitem').count()).toBe(2)

  await page.getByRole('button', { name: 'Actions for Kit' }).click()
  await page.getByRole('menuitem', { name: /Remove from the team/ }).click()
  await page.getByText('Kit is not in a team now').waitFor()
  expect(await membersOf(teamId)).toEqual([ids.Moss])

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Launch two')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Launch two' }).waitFor()
  await page.close()
})

test('[PG36] a team shows its leader and the reason, and lets the person choose the leader', async () => {
  const { team } = await fixture.server.client.createTeam({ body: { name: 'Research', memberIds: [ids.Kit!] } })
  const page = await fixture.open(`/teams/${team.id}`)
  await page.getByRole('heading', { name: 'Ada leads' }).waitFor()
  await page.getByText('Ada is Boo Zero, and Boo Zero leads every team.').waitFor()
  await page.getByRole('button', { name: 'Actions for Kit' }).click()
  await page.getByRole('menuitem', { name: /Make lead/ }).click()
  await page.getByText('Kit is now the lead of Research').waitFor()
  await page.getByText("Kit is the team's own lead and leads when there is no Boo Zero.").waitFor()
  const { team: led } = await fixture.server.client.getTeam({ params: { teamId: team.id } })
  expect(led.leadAgentId).toBe(ids.Kit)
  await page.close()
})

test('[PG37] a name that is taken is refused at the field', async () => {
  await fixture.server.client.createTeam({ body: { name: 'Taken' } })
  const page = await fixture.open('/teams/new')
  await page.getByLabel('Name', { exact: true }).fill('Taken')
  await page.getByRole('button', { name: 'Create team' }).click()
  await page.getByText('Another team has this name already.').waitFor()
  expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  await page.close()
})

test('[PG38] deleting a team shows that its members stay, and they do', async () => {
  const { team } = await fixture.server.client.createTeam({ body: { name: 'Old', memberIds: [ids.Moss!] } })
  const page = await fixture.open(`/teams/${team.id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete the team Old?' })
  await dialog.getByText('Its 1 member stays, without a team').waitFor()
  await dialog.getByRole('button', { name: 'Delete the team' }).click()
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.getByRole('link', { name: /Moss/ }).waitFor()
  const moss = await fixture.server.client.getAgent({ params: { agentId: ids.Moss! } })
  expect(moss.teamId).toBeNull()
  await page.close()
})
