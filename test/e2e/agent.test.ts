import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

const make = (name: string, more: object = {}) => fixture.server.client.createAgent({ body: { name, ...more } })
const read = (agentId: string) => fixture.server.client.getAgent({ params: { agentId } })

test('[PG23] name, role, emoji and avatar are edited in place, and Cancel changes nothing', async () => {
  const { id } = await make('Ada', { personalityConfig: { role: 'Leads' } })
  const page = await fixture.open(`/agents/${id}/identity`)
  const face = page.locator('main header svg[data-eyes]')
  const before = await face.innerHTML()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Nobody')
  await page.getByRole('button', { name: 'Another avatar' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect((await read(id)).displayName).toBe('Ada')
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada')
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('Role').fill('Counts')
  await page.getByLabel('Emoji').fill('🧮')
  await page.getByRole('button', { name: 'Another avatar' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
  expect(await read(id)).toMatchObject({
    displayName: 'Ada Lovelace',
    emoji: '🧮',
    personalityConfig: { role: 'Counts' },
  })
  expect(await face.innerHTML()).not.toBe(before)
  await page.close()
})

test('[PG23] an edit writes only the fields changed here, not fields that were changed elsewhere', async () => {
  const { id } = await make('Wren', { personalityConfig: { role: 'Backups' } })
  const page = await fixture.open(`/agents/${id}/identity`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await fixture.server.client.updateAgent({ params: { agentId: id }, body: { name: 'Wren the second' } })
  await page.getByRole('heading', { level: 1, name: 'Wren the second' }).waitFor()
  await page.getByLabel('Role').fill('Nightly backups')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved Wren the second').waitFor()
  expect(await read(id)).toMatchObject({
    displayName: 'Wren the second',
    personalityConfig: { role: 'Nightly backups' },
  })
  await page.close()
})

test('[PG24] a Boo joins and leaves a team from its own page', async () => {
  const { id } = await make('Moss')
  const { team } = await fixture.server.client.createTeam({ body: { name: 'Launch' } })
  const page = await fixture.open(`/agents/${id}/identity`)
  await page.getByLabel('Team', { exact: true }).selectOption({ label: 'Launch' })
  await page.getByText('Moss is in Launch now').waitFor()
  expect((await read(id)).teamId).toBe(team.id)
  await page.getByLabel('Team', { exact: true }).selectOption({ label: 'No team' })
  await page.getByText('Moss is not in a team now').waitFor()
  expect((await read(id)).teamId).toBeNull()
  await page.close()
})

test('[PG25] deleting a Boo lists what is deleted and requires its name', async () => {
  const { id } = await make('Otto', { files: { 'SOUL.md': 'one' } })
  await fixture.server.client.writeAgentFile({
    params: { agentId: id, fileName: 'SOUL.md' },
    body: { content: 'two', baseRevision: 1 },
  })
  const page = await fixture.open(`/agents/${id}/identity`)
  await page.getByRole('button', { name: 'Delete Otto' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Otto?' })
  await dialog.getByText('1 file with 2 revisions: SOUL.md').waitFor()
  const button = dialog.getByRole('button', { name: 'Delete for good' })
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Otto to delete it').fill('otto')
  expect(await button.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Otto to delete it').fill('Otto')
  await button.click()
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await expect(read(id)).rejects.toMatchObject({ code: 'agent_not_found' })
  await page.close()
})

test('[PG26] the page of a Boo that another program deletes explains this instead of showing an error', async () => {
  const { id } = await make('Pixel')
  const page = await fixture.open(`/agents/${id}/identity`)
  await page.getByRole('heading', { level: 1, name: 'Pixel' }).waitFor()
  await fixture.server.client.deleteAgent({ params: { agentId: id } })
  await page.getByRole('heading', { name: 'Boo not found' }).waitFor()
  await page.close()
})

test('[PG41] technical details are hidden behind Details', async () => {
  const { id } = await make('Juno')
  const page = await fixture.open(`/agents/${id}/identity`)
  expect(await page.getByText(id, { exact: true }).first().isVisible()).toBe(false)
  await page.getByText('Details').click()
  expect(await page.getByText(id, { exact: true }).first().isVisible()).toBe(true)
  await page.close()
})

test('[PG21] a role that is too long is refused at its field', async () => {
  const { id } = await make('Wordy')
  const page = await fixture.open(`/agents/${id}/identity`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Role').fill('x'.repeat(130))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.getByLabel('Role').getAttribute('aria-invalid')).toBe('true')
  expect((await read(id)).personalityConfig).toBeNull()
  await page.close()
})
