import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The axe violations of a page in its current state, one line each. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = { resultTypes: ['violations'] }
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join(' | ')))`,
  )) as string[]
  return found.map((line) => `${new URL(page.url()).pathname} ${line}`)
}
