import { link, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture
let agentId: string
let folder: string

beforeAll(async () => {
  fixture = await startPage()
  const ada = await fixture.server.client.createAgent({ body: { name: 'Ada', files: { 'SOUL.md': 'Kind.' } } })
  agentId = ada.id
  folder = join(fixture.server.home, 'runtimes', ada.runtime, ada.id, 'workspace')
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

const put = async (path: string, content: string | Buffer) => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}
const part = (page: Page) => page.getByRole('region', { name: 'Workspace' })
const shown = (page: Page) => page.getByRole('region', { name: /^Text of / })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true })
const addressOf = (path: string) => `/agents/${agentId}/files/in-folder?path=${encodeURIComponent(path)}`

test('[PG123] an empty workspace shows what will appear there, and a person has none', async () => {
  const page = await fixture.open(`/agents/${agentId}/files`)
  await part(page).getByText('Empty. Files that Ada writes appear here.').waitFor()
  const { id } = await fixture.server.client.createAgent({ body: { name: 'Robin', participantKind: 'human' } })
  await page.goto(`${fixture.server.url}/agents/${id}/files`)
  await page.getByRole('navigation', { name: 'Files' }).getByText('SOUL.md').waitFor()
  expect(await part(page).count()).toBe(0)
  await page.close()
})

test('[PG120] folders open by their address, with sizes and ages, and Back leads up', async () => {
  await put('notes/2026/tea.md', '# Tea\n')
  await put('notes/plan.md', 'x'.repeat(1500))
  await utimes(join(folder, 'notes/plan.md'), Date.now() / 1000 - 7300, Date.now() / 1000 - 7300)
  const page = await fixture.open(`/agents/${agentId}/files`)
  await part(page).getByRole('link', { name: 'notes' }).click()
  await part(page)
    .getByRole('link', { name: /plan\.md.*1\.5 kB.*2 h ago/ })
    .waitFor()
  expect(new URL(page.url()).searchParams.get('path')).toBe('notes')
  await part(page).getByRole('link', { name: '2026' }).click()
  await part(page)
    .getByRole('link', { name: /tea\.md/ })
    .waitFor()
  await page.reload()
  await part(page)
    .getByRole('link', { name: /tea\.md/ })
    .click()
  await heading(page, 'notes/2026/tea.md').waitFor()
  expect(await shown(page).textContent()).toBe('# Tea\n')
  await part(page).locator('[aria-current=page]', { hasText: 'tea.md' }).waitFor()
  await part(page).getByRole('link', { name: 'Up to notes' }).click()
  await part(page).getByRole('link', { name: 'Up to the workspace' }).click()
  await part(page).getByRole('link', { name: 'notes' }).waitFor()
  expect(await part(page).getByText('SOUL.md').count()).toBe(0)
  for (let step = 0; step < 3; step++) await page.goBack()
  await part(page)
    .getByRole('link', { name: /tea\.md/ })
    .waitFor()
  await page.close()
})

test('[PG121] a text is never rendered as markup, and long, empty and binary files are labelled', async () => {
  const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) \u202etxt.exe\n# no heading\n'
  const name = 'a <b>\u202e "x" & ?path=#%2e.md'
  await put(name, hostile)
  await put('long.txt', 'y'.repeat(300_000))
  await put('empty.txt', '')
  await put('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]))
  const page = await fixture.open(`/agents/${agentId}/files`)
  await part(page).getByRole('link', { name }).click()
  await shown(page).waitFor()
  expect(await shown(page).textContent()).toBe(hostile)
  expect(await shown(page).locator('img, a, h1').count()).toBe(0)
  await page.reload()
  expect(await shown(page).textContent()).toBe(hostile)
  await part(page)
    .getByRole('link', { name: /long\.txt/ })
    .click()
  await page.getByText('Showing the first 262.1 kB of 300.0 kB.').waitFor()
  expect((await shown(page).textContent())?.length).toBe(262_144)
  await part(page)
    .getByRole('link', { name: /empty\.txt/ })
    .click()
  await heading(page, 'This file is empty').waitFor()
  await part(page)
    .getByRole('link', { name: /picture\.png/ })
    .click()
  await heading(page, 'Not a text file').waitFor()
  await page.close()
})

test('[PG123] a missing or inaccessible file shows the reason and links back to the workspace', async () => {
  const outside = join(fixture.server.home, 'outside.txt')
  await writeFile(outside, 'not for eyes')
  await symlink(outside, join(folder, 'alias.txt'))
  await link(outside, join(folder, 'twin.txt'))
  const page = await fixture.open(addressOf('notes/nothing.md'))
  await heading(page, 'File not found').waitFor()
  for (const path of ['alias.txt', 'twin.txt', '../SOUL.md', '/etc/passwd', 'a\0b', '..\\x']) {
    await page.goto(fixture.server.url + addressOf(path))
    await heading(page, 'This file cannot be opened').waitFor()
  }
  expect(await page.getByText('not for eyes').count()).toBe(0)
  await page.getByRole('link', { name: 'To the workspace' }).click()
  await part(page).getByText('not a plain file, cannot be opened').waitFor()
  expect(await part(page).getByRole('link', { name: 'alias.txt' }).count()).toBe(0)
  await page.goto(`${fixture.server.url}/agents/${agentId}/files?path=no/such`)
  await part(page).getByText('The folder "no/such" no longer exists.').waitFor()
  await part(page).getByRole('link', { name: 'Up to no' }).waitFor()
  await Promise.all([rm(join(folder, 'alias.txt')), rm(join(folder, 'twin.txt'))])
  await page.close()
})

test('[PG122] a refresh shows the changes on disk, in the list and in the open file', async () => {
  await put('diary/one.md', 'first')
  const page = await fixture.open(addressOf('diary/one.md'))
  await shown(page).getByText('first').waitFor()
  await put('diary/one.md', 'second')
  await put('diary/two.md', '')
  await part(page).getByRole('button', { name: 'Refresh' }).click()
  await shown(page).getByText('second').waitFor()
  await part(page)
    .getByRole('link', { name: /two\.md/ })
    .waitFor()
  await rm(join(folder, 'diary'), { recursive: true })
  await part(page).getByRole('button', { name: 'Refresh' }).click()
  await heading(page, 'File not found').waitFor()
  await part(page).getByText('The folder "diary" no longer exists.').waitFor()
  await page.close()
})

test('[PG122] the files of a run appear when it ends, and open from the call that wrote them', async () => {
  const { client } = fixture.server
  const { agentIds } = await client.makeDemoTeam({})
  const params = { agentId: agentIds[0]! }
  const [files, talk] = await Promise.all([
    fixture.open(`/agents/${params.agentId}/files`),
    fixture.open(`/agents/${params.agentId}`),
  ])
  await part(files)
    .getByText(/^Empty\./)
    .waitFor()
  await client.sendMessage({ params, body: { text: 'Write a note about tea' } })
  await part(files)
    .getByRole('link', { name: /note-tea\.md/ })
    .click()
  await shown(files).getByText(/tea/).first().waitFor()
  await talk.getByRole('link', { name: 'Open note-tea.md' }).click()
  await heading(talk, 'note-tea.md').waitFor()
  expect(await shown(talk).textContent()).toBe(await shown(files).textContent())
  await Promise.all([files.close(), talk.close()])
})

test('[PG125] axe finds nothing in both themes and on a phone, where the keyboard opens and leaves a file', async () => {
  await put('notes/words.md', 'word '.repeat(2000))
  const phone = await fixture.newContext({ width: 390, height: 844 })
  for (const context of [fixture.context, phone]) {
    const page = await fixture.open(`/agents/${agentId}/files?path=notes`, context)
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await part(page)
        .getByRole('link', { name: /words\.md/ })
        .focus()
      found.push(...(await violations(page)))
      await page.keyboard.press('Enter')
      await shown(page).focus()
      found.push(...(await violations(page)))
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
      await page.goBack()
    }
    expect(found).toEqual([])
    await part(page)
      .getByRole('link', { name: /words\.md/ })
      .click()
    if (context === phone) await page.getByRole('link', { name: 'To the workspace' }).press('Enter')
    await part(page)
      .getByRole('link', { name: /words\.md/ })
      .waitFor()
    await page.close()
  }
  await phone.close()
})
