import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFailed } from 'vitest'
import { buildPage } from '../../scripts/build-page.ts'
import { removeHome, type ServerOptions, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { oneBrowser } from './one-browser.ts'

/** A real server and a real browser for one test file. */
export interface PageFixture {
  readonly server: ServerProcess
  readonly browser: Browser
  /** Signed in. All its pages are watched for errors. */
  readonly context: BrowserContext
  /** Opens a page at an address, ready to use. */
  open(path: string, context?: BrowserContext): Promise<Page>
  /** Another browser profile, signed in by default. */
  newContext(options?: { signedIn?: boolean; width?: number; height?: number }): Promise<BrowserContext>
  /** Closes the pages that tests opened in `context`. */
  closePages(): Promise<void>
  /** Kills the server and restarts it with the same home and port. */
  restart(whileDown?: () => Promise<void>): Promise<void>
  /** Fails if a page logged an error or broke its content security policy; `expected` matches errors that the test provokes. */
  expectCalm(expected?: RegExp): void
  close(): Promise<void>
}

export async function startPage(
  options: { seed?: (home: string) => Promise<void> } & Pick<ServerOptions, 'env' | 'main'> = {},
): Promise<PageFixture> {
  await buildPage()
  const home = await temporaryHome()
  await options.seed?.(home)
  const serverOptions = { home, main: options.main, env: { CLAWBOO_LOG: 'error', ...options.env } }
  let server = await startServer(serverOptions)
  const browser = await oneBrowser()
  const trouble: string[] = []
  const contexts: BrowserContext[] = []
  const newContext: PageFixture['newContext'] = async ({ signedIn = true, width = 1280, height = 800 } = {}) => {
    const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
    contexts.push(context)
    context.setDefaultTimeout(60_000)
    context.on('page', (page) => watch(page, trouble))
    if (signedIn) await signIn(context, (await server.client.createSignInLink({})).url)
    return context
  }
  const context = await newContext()
  return {
    get server() {
      return server
    },
    browser,
    context,
    newContext,
    async open(path, chosen = context) {
      const page = await chosen.newPage()
      if (expect.getState().currentTestName) onTestFailed(() => printPageState(page))
      await page.goto(server.url + path)
      // The heading may be visible to screen readers only.
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      return page
    },
    async closePages() {
      for (const page of context.pages()) if (!page.url().endsWith(KEPT_OPEN)) await page.close()
    },
    async restart(whileDown) {
      await server.kill()
      await whileDown?.()
      server = await startServer({ ...serverOptions, port: server.port })
    },
    expectCalm(expected) {
      const found = trouble.splice(0).filter((line) => !expected?.test(line))
      expect(found).toEqual([])
    },
    async close() {
      for (const each of contexts) await each.close()
      await server.stop()
      await removeHome(home)
    },
  }
}

/** Keeps the renderer process alive, so that the pages of a test need not start their own. */
const KEPT_OPEN = '/favicon.svg'

async function signIn(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.goto(new URL(KEPT_OPEN, link).href)
}

/** Prints the state of the page when a test fails, because a failure on a busy machine is hard to repeat. */
async function printPageState(page: Page): Promise<void> {
  if (page.isClosed()) return
  console.error(`${page.url()}\n${await page.locator('body').ariaSnapshot({ timeout: 2_000 })}`)
}

/** Many tests provoke a refused request; the browser logs it, and the page shows it in words. */
const REFUSAL = /status of 4\d\d/

function watch(page: Page, trouble: string[]): void {
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' || REFUSAL.test(message.text())) return
    trouble.push(`console: ${message.text()} (${message.location().url})`)
  })
}
