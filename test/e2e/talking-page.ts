import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

/** A real server with Boos on the scripted model, and a browser; for one test file. */
export function startTalking() {
  let fixture: PageFixture
  let model: string
  beforeAll(async () => {
    fixture = await startPage()
    model = (await fixture.server.client.listProviders({})).demoModel!
  })
  afterEach(async () => {
    await fixture.closePages()
    fixture.expectCalm()
  })
  afterAll(() => fixture.close())
  const client = () => fixture.server.client
  return {
    get fixture() {
      return fixture
    },
    get model() {
      return model
    },
    client,
    makeBoo: async (name: string) =>
      (await client().createAgent({ body: { name, execConfig: { model, exec: { ask: 'on-miss' } } } })).id,
  }
}

export const field = (page: Page) => page.getByRole('textbox', { name: /^Message / })
/** Finds the Boo's own text, because the prompt contains the same words in its script. */
export const said = (page: Page) => page.locator('[data-said]')
export const waiting = (page: Page) => page.getByRole('list', { name: 'Waiting messages' })
export const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })

export async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}
