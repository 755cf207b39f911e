import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

test('[PG42] settings show the server, its home, its counts, and the audit log in pages, newest first', async () => {
  const { client } = fixture.server
  for (let number = 1; number <= 60; number++) await client.createAgent({ body: { name: `Boo ${number}` } })
  const page = await fixture.open('/settings')
  const { version, home } = await client.getStatus({})
  for (const words of [version, 'SQLite', home]) await page.getByText(words, { exact: true }).waitFor()
  const facts = page.locator('dl').filter({ hasText: 'Database' })
  expect(await facts.textContent()).toContain('Boos, people60')
  const audit = page.locator('ol > li')
  await audit.first().getByText('Boo 60').waitFor()
  const before = await audit.count()
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(() => audit.count()).toBeGreaterThan(before)
  await page.close()
})

test('[PG42] signing out signs only this browser out', async () => {
  const context = await fixture.newContext()
  const page = await fixture.open('/settings', context)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  const other = await fixture.open('/')
  await other.getByText('60 Boos on 1 runtime').waitFor()
  await Promise.all([context.close(), other.close()])
})

test('[PG19] the API page opens operations and finds them by path, name and error code, with the search in the address', async () => {
  const page = await fixture.open('/api-docs')
  await page.getByText('/api/agents/{agentId}/move').click()
  await page.locator('details[open]').getByText('runtime_not_found').waitFor()
  await page.getByLabel('Search the API').fill('file_revision_stale')
  await page.getByText('1 operation', { exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?q=file_revision_stale')
  await page.reload()
  await page.getByText('/api/agents/{agentId}/files/{fileName}').waitFor()
  await page.close()
})
