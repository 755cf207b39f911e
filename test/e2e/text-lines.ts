import type { Locator } from 'playwright-core'

/** On how many lines the text of an element stands. */
export function textLines(element: Locator): Promise<number> {
  return element.evaluate((node) => {
    const range = node.ownerDocument.createRange()
    range.selectNodeContents(node)
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
    return new Set(tops).size
  })
}
