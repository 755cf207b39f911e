import type { PatchHunk } from './parse-patch.ts'

/** The text after all hunks of one update, or what does not fit, with the line of the patch. Hunks apply in order. */
export function applyHunks(
  original: string,
  hunks: readonly PatchHunk[],
): { readonly text: string } | { readonly problem: string } {
  const endsInNewline = original.endsWith('\n') || original === ''
  const lines = original === '' ? [] : (endsInNewline ? original.slice(0, -1) : original).split('\n')
  const result: string[] = []
  let cursor = 0
  for (const hunk of hunks) {
    let from = cursor
    if (hunk.context !== null) {
      const found = findLines(lines, [hunk.context], cursor, false)
      if (found === -1) return { problem: `line ${hunk.line} of the patch: "${hunk.context}" is not in the file` }
      from = found + 1
    }
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    const start =
      before.length === 0 ? (hunk.context === null ? lines.length : from) : findLines(lines, before, from, hunk.atEnd)
    if (start === -1) {
      const where = hunk.atEnd ? 'at the end of the file' : 'in the file'
      return { problem: `line ${hunk.line} of the patch: its lines are not ${where}, starting with "${before[0]}"` }
    }
    result.push(...lines.slice(cursor, start))
    cursor = start
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text)
      // The file's own spelling of an unchanged line stays: the patch may have lost its trailing spaces.
      else if (mark === ' ') result.push(lines[cursor++]!)
      else cursor++
    }
  }
  result.push(...lines.slice(cursor))
  return { text: result.length === 0 ? '' : result.join('\n') + (endsInNewline ? '\n' : '') }
}

/** First exactly, then without regard to spaces at line ends, then at both. -1 when nowhere. */
function findLines(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number {
  const last = lines.length - wanted.length
  for (const same of [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.trim()]) {
    const target = wanted.map(same)
    for (let start = atEnd ? Math.max(from, last) : from; start <= last; start++) {
      if (target.every((text, index) => same(lines[start + index]!) === text)) return start
    }
  }
  return -1
}
