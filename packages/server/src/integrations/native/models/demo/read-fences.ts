export interface Fenced {
  /** The line before the fence, without its colon. */
  readonly label: string
  readonly text: string
}

/** Splits a prompt into its fenced texts, in order, and the rest. A fence ends at the next line equal to its first. */
export function readFences(prompt: string): { readonly fences: readonly Fenced[]; readonly outside: string } {
  const lines = prompt.split('\n')
  const fences: Fenced[] = []
  const outside: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const label = outside.at(-1) ?? ''
    const isFence = /^`{3,}$/.test(lines[at]!) && label.endsWith(':')
    const end = isFence ? lines.indexOf(lines[at]!, at + 1) : -1
    if (end < 0) {
      outside.push(lines[at]!)
      continue
    }
    fences.push({ label: label.slice(0, -1), text: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return { fences, outside: outside.join('\n') }
}
