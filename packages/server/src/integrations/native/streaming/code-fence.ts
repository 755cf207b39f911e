/** A block of code that is open: how it was opened and what closes it. */
export interface CodeFence {
  /** The line that opened it. */
  readonly opener: string
  readonly marker: string
}

/**
 * The fence that a whole line opens. One so long that closing and opening it again would take more than half of a block
 * counts as text.
 */
export function fenceOpenedBy(line: string, maxChars: number): CodeFence | null {
  const match = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)
  if (!match) return null
  const fence = { opener: line.trimEnd(), marker: match[1]! }
  return line.length + 1 + closing(fence).length <= maxChars / 2 ? fence : null
}

export function isClosedBy(fence: CodeFence, line: string): boolean {
  const marker = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1]
  return marker !== undefined && marker[0] === fence.marker[0] && marker.length >= fence.marker.length
}

/** What a block begins with that goes on with the code. */
export const reopening = (fence: CodeFence): string => `${fence.opener}\n`

/** What a block ends with that breaks off within the code. */
export const closing = (fence: CodeFence): string => `\n${fence.marker}`
