import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

let fixture: PageFixture

beforeAll(async () => {
  fixture = await startPage()
})
afterEach(() => fixture.expectCalm())
afterAll(() => fixture.close())

const SOUL = 'SOUL.md' as const

async function makeWithSoul(name: string, ...texts: string[]): Promise<string> {
  const { id } = await fixture.server.client.createAgent({ body: { name } })
  for (const [at, content] of texts.entries()) await write(id, content, at)
  return id
}

const write = (agentId: string, content: string, baseRevision: number) =>
  fixture.server.client.writeAgentFile({ params: { agentId, fileName: SOUL }, body: { content, baseRevision } })
const newest = (agentId: string) => fixture.server.client.readAgentFile({ params: { agentId, fileName: SOUL } })

async function openSoul(agentId: string, search = ''): Promise<Page> {
  return fixture.open(`/agents/${agentId}/files/${SOUL}${search}`)
}

const editor = (page: Page) => page.getByRole('textbox', { name: SOUL, exact: true })

/** Replaces all text in the editor with the keyboard, as a person does. */
async function type(page: Page, text: string): Promise<void> {
  await editor(page).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

test('[PG27] saving by button or by key adds a revision, and the list and the history show it', async () => {
  const id = await makeWithSoul('Ada')
  const page = await openSoul(id)
  await page.getByText('Never saved', { exact: true }).waitFor()
  await type(page, '# Ada\n\nFirst words.')
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved SOUL.md as revision 1').waitFor()
  await type(page, '# Ada\n\nSecond words.')
  await page.keyboard.press('Control+S')
  await page.getByText('Saved SOUL.md as revision 2').waitFor()
  expect(await newest(id)).toMatchObject({ revision: 2, content: '# Ada\n\nSecond words.' })
  await page.getByRole('button', { name: 'History' }).click()
  const history = page.getByRole('complementary', { name: 'History of SOUL.md' })
  await history.getByRole('button', { name: /Revision 2 · now/ }).waitFor()
  await history.getByRole('button', { name: /Revision 1/ }).waitFor()
  await page.getByRole('navigation', { name: 'Files' }).getByText('20 B').waitFor()
  await page.close()
})

test('[PG27] typing during a save loses nothing', async () => {
  const id = await makeWithSoul('Lin')
  const page = await openSoul(id)
  await editor(page).click()
  let text = ''
  for (let round = 1; round <= 8; round++) {
    await page.keyboard.insertText(`words ${round} `)
    await page.keyboard.press('Control+S')
    await page.keyboard.insertText('and more ')
    text += `words ${round} and more `
  }
  await expect.poll(() => editor(page).textContent()).toBe(text)
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+S')
      return (await newest(id)).content
    })
    .toBe(text)
  await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0)
  await page.close()
})

test('[PG28] any revision can be compared with the saved text, and restoring it adds a new one', async () => {
  const id = await makeWithSoul('Kit', 'alpha\nbeta\n', 'alpha\ngamma\n')
  const page = await openSoul(id, '?history=true')
  await page.getByRole('button', { name: /^Revision 1/ }).click()
  expect(new URL(page.url()).search).toContain('revision=1')
  await page.getByRole('textbox', { name: 'SOUL.md, revision 1' }).getByText('beta').waitFor()
  await page.getByRole('textbox', { name: 'SOUL.md, saved now' }).getByText('gamma').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Revision 1 is back, as revision 3').waitFor()
  expect(await newest(id)).toMatchObject({ revision: 3, content: 'alpha\nbeta\n' })
  await page.close()
})

async function makeConflict(name: string): Promise<{ id: string; page: Page }> {
  const id = await makeWithSoul(name, 'base')
  const page = await openSoul(id)
  await editor(page).getByText('base').waitFor()
  await type(page, 'mine')
  await write(id, 'theirs', 1)
  await page.getByText('Changed by you, on another page, just now').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: /was changed by/ }).waitFor()
  await page.getByRole('textbox', { name: 'Theirs' }).getByText('theirs').waitFor()
  await page.getByRole('textbox', { name: 'Yours' }).getByText('mine').waitFor()
  expect(await newest(id)).toMatchObject({ revision: 2, content: 'theirs' })
  return { id, page }
}

test('[PG29] a conflict shows both texts, and "keep mine" saves mine over theirs', async () => {
  const { id, page } = await makeConflict('Moss')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByText('Saved SOUL.md as revision 3').waitFor()
  expect(await newest(id)).toMatchObject({ revision: 3, content: 'mine' })
  await page.close()
})

test('[PG29] "take theirs" sets my version aside, and it can be brought back', async () => {
  const { id, page } = await makeConflict('Juno')
  await page.getByRole('button', { name: 'Use theirs' }).click()
  await editor(page).getByText('theirs').waitFor()
  expect(await newest(id)).toMatchObject({ revision: 2 })
  await page.getByRole('button', { name: 'Restore it' }).click()
  await editor(page).getByText('mine').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved SOUL.md as revision 3').waitFor()
  await page.close()
})

test('[PG29] a merged text is edited here and saved over both', async () => {
  const { id, page } = await makeConflict('Pixel')
  await page.getByRole('button', { name: 'Edit merged' }).click()
  await page.getByRole('textbox', { name: 'Merged' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('mine and theirs')
  await page.getByRole('button', { name: 'Save merged' }).click()
  await page.getByText('Saved SOUL.md as revision 3').waitFor()
  expect(await newest(id)).toMatchObject({ content: 'mine and theirs' })
  await editor(page).getByText('mine and theirs').waitFor()
  await page.close()
})

test('[PG31] an editor without changes follows what someone else saves', async () => {
  const id = await makeWithSoul('Otto', 'before')
  const page = await openSoul(id)
  await editor(page).getByText('before').waitFor()
  await write(id, 'after', 1)
  await editor(page).getByText('after').waitFor()
  await page.getByText('Revision 2 by you').waitFor()
  expect(await page.getByText('Unsaved changes').count()).toBe(0)
  await page.close()
})

test('[PG32] leaving unsaved text asks first, and a kept draft is still there afterwards', async () => {
  const id = await makeWithSoul('Wren', 'saved')
  const page = await openSoul(id)
  await editor(page).getByText('saved').waitFor()
  await type(page, 'not saved yet')
  await page.getByRole('link', { name: 'Fleet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await editor(page).getByText('not saved yet').waitFor()
  await page.getByRole('link', { name: 'Fleet' }).click()
  await dialog.getByRole('button', { name: 'Leave and keep the draft' }).click()
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.goBack()
  await editor(page).getByText('not saved yet').waitFor()
  await page.getByRole('link', { name: 'Fleet' }).click()
  await dialog.getByRole('button', { name: 'Discard my changes' }).click()
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.goBack()
  await editor(page).getByText('saved', { exact: true }).waitFor()
  expect(await page.getByText('Unsaved changes').count()).toBe(0)
  await page.close()
})

test('[PG32] a draft survives closing the tab', async () => {
  const id = await makeWithSoul('Nova', 'saved')
  const first = await openSoul(id)
  await editor(first).getByText('saved').waitFor()
  await type(first, 'typed and closed')
  await first.getByText('Unsaved changes').waitFor()
  await first.close({ runBeforeUnload: false })
  const second = await openSoul(id)
  await editor(second).getByText('typed and closed').waitFor()
  await second.getByText('Unsaved changes').waitFor()
  await second.close()
})

test('[PG10] files work at phone width: one column, and a comparison in one column', async () => {
  const id = await makeWithSoul('Bee', 'one\n', 'two\n')
  const context = await fixture.newContext({ width: 390, height: 844 })
  const page = await fixture.open(`/agents/${id}/files`, context)
  await page.getByRole('link', { name: /SOUL.md/ }).click()
  await editor(page).getByText('two').waitFor()
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('button', { name: /^Revision 1/ }).click()
  const text = page.getByRole('textbox', { name: 'SOUL.md, saved now' })
  await text.getByText('one').waitFor()
  await text.getByText('two').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await context.close()
})

test('[PG32] a second tab on the same file does not remove a stored draft', async () => {
  const id = await makeWithSoul('Twice', 'saved')
  const first = await openSoul(id)
  const second = await openSoul(id)
  await editor(second).getByText('saved').waitFor()
  await type(first, 'typed in the first')
  await first.getByText('Unsaved changes').waitFor()
  await first.close({ runBeforeUnload: false })
  await second.getByRole('link', { name: 'Fleet' }).click()
  await second.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor()
  await second.close()
  const third = await openSoul(id)
  await editor(third).getByText('typed in the first').waitFor()
  await third.close({ runBeforeUnload: false })
})
