import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

test('[PG1] the printed link signs a browser in, and its code leaves the address and the history', async () => {
  const context = await fixture.newContext({ signedIn: false })
  const page = await context.newPage()
  await page.goto(fixture.server.signInLink)
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
  const code = new URL(fixture.server.signInLink).hash.slice(1)
  expect(code.length).toBeGreaterThan(8)
  const seen: string[] = []
  page.on('request', (request) => seen.push(request.url()))
  await page.goBack()
  await page.waitForURL((url) => url.protocol === 'about:' || !url.hash)
  expect([page.url(), ...seen].join(' ')).not.toContain(code)
  await context.close()
})

test('[PG2] a used link shows that it was used and how to get a new one', async () => {
  const context = await fixture.newContext({ signedIn: false })
  const page = await context.newPage()
  await page.goto(fixture.server.signInLink)
  await page.getByRole('heading', { name: 'This link did not work' }).waitFor()
  await page.getByText('It is used up, too old or incomplete').waitFor()
  await page.getByText('clawboo token link').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await context.close()
})

test('[PG2] the sign-in page without a code shows where the link comes from', async () => {
  const context = await fixture.newContext({ signedIn: false })
  const page = await context.newPage()
  await page.goto(`${fixture.server.url}/sign-in`)
  await page.getByText('Open the sign-in link that the server printed').waitFor()
  await context.close()
})

test('[PG3] a browser that is not signed in sees the signed-out page at every address', async () => {
  const context = await fixture.newContext({ signedIn: false })
  const page = await context.newPage()
  for (const path of ['/', '/settings', '/agents/nobody', '/api-docs']) {
    await page.goto(fixture.server.url + path)
    await page.getByRole('heading', { name: 'Signed out' }).waitFor()
    await page.getByText('npm start').waitFor()
  }
  await context.close()
})

test('[PG3] text typed before a sign-out is still there after another tab signs in', async () => {
  const context = await fixture.newContext()
  const page = await fixture.open('/new', context)
  await page.getByLabel('Name').fill('Half a name')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Create Boo' }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  for (const keys of ['g', 'f', 'Control+k', '?']) await page.keyboard.press(keys)
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Still signed out.').waitFor()
  const other = await context.newPage()
  await other.goto((await fixture.server.client.createSignInLink({})).url)
  await other.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.getByRole('heading', { name: 'New Boo' }).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Half a name')
  await page.getByRole('button', { name: 'Create Boo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Half a name' }).waitFor()
  await context.close()
})

test('[PG4] replacing the token in Settings warns, then signs this browser out', async () => {
  const context = await fixture.newContext()
  const page = await fixture.open('/settings', context)
  await page.getByRole('button', { name: 'Replace the operator token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace the operator token?' })
  await dialog.getByText('Every browser is signed out, including this one').waitFor()
  await dialog.getByRole('button', { name: 'Keep the old one' }).click()
  await page.getByRole('button', { name: 'Create a sign-in link' }).click()
  const link = await page.getByLabel('Sign-in link').inputValue()
  const second = await fixture.newContext({ signedIn: false })
  const other = await second.newPage()
  await other.goto(link)
  await other.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.getByRole('button', { name: 'Replace the operator token' }).click()
  await page.getByRole('button', { name: 'Replace it' }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  await other.getByRole('heading', { name: 'Signed out' }).waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Still signed out.').waitFor()
  fixture.expectCalm(/INCOMPLETE_CHUNKED/)
  await Promise.all([context.close(), second.close()])
})
