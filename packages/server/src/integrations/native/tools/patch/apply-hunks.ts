import type { PatchHunk } from './parse-patch.ts'

/** Applies the hunks of one update in order. A problem names the line of the patch. */
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
      if (found === -1)
        return { problem: `line ${hunk.line} of the patch: "${hunk.context}" was not found in the file` }
      from = found + 1
    }
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    const start =
      before.length === 0 ? (hunk.context === null ? lines.length : from) : findLines(lines, before, from, hunk.atEnd)
    if (start === -1) {
      const where = hunk.atEnd ? 'at the end of the file' : 'in the file'
      return {
        problem: `line ${hunk.line} of the patch: its lines were not found ${where}, starting with "${before[0]}"`,
      }
    }
    result.push(...lines.slice(cursor, start))
    cursor = start
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text)
      // Keep unchanged lines as they are in the file: the patch may have lost their trailing spaces.
      else if (mark === ' ') result.push(lines[cursor++]!)
      else cursor++
    }
  }
  result.push(...lines.slice(cursor))
  return { text: result.length === 0 ? '' : result.join('\n') + (endsInNewline ? '\n' : '') }
}

/** Searches for an exact match first, then ignores trailing spaces, then leading spaces too. -1 = not found. */
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
