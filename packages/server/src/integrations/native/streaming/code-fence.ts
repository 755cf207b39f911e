/** An open code block. */
export interface CodeFence {
  /** The opening line. */
  readonly opener: string
  readonly marker: string
}

/**
 * The fence that a line opens; null = none. A fence is treated as text if closing and reopening it would take more than
 * half of a block.
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

/** The beginning of a block that continues the code. */
export const reopening = (fence: CodeFence): string => `${fence.opener}\n`

/** The end of a block that stops inside the code. */
export const closing = (fence: CodeFence): string => `\n${fence.marker}`
