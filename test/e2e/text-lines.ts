import type { Locator } from 'playwright-core'

/** The number of lines that an element's text takes. */
export function textLines(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const range = node.ownerDocument.createRange()
    range.selectNodeContents(node)
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
    return new Set(tops).size
  })
}
