export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

export interface EditChange {
  /** Line in the original, counted from 1. */
  readonly line: number
  readonly removedLines: number
  readonly addedLines: number
}

/**
 * Replaces every `oldText`, each of which must occur exactly once in the original. Searches only the original, never the
 * result of another edit, and refuses overlapping edits. Applies all edits or none.
 */
export function applyEdits(
  original: string,
  edits: readonly TextEdit[],
): { readonly text: string; readonly changes: readonly EditChange[] } | { readonly problem: string } {
  const found: { readonly start: number; readonly end: number; readonly edit: TextEdit; readonly number: number }[] = []
  for (const [index, edit] of edits.entries()) {
    const label = edits.length === 1 ? 'oldText' : `edits[${index}].oldText`
    if (edit.oldText === '') return { problem: `${label} is empty` }
    const start = original.indexOf(edit.oldText)
    if (start === -1)
      return { problem: `${label} is not in the file; it must match exactly, spaces and newlines included` }
    const second = original.indexOf(edit.oldText, start + 1)
    if (second !== -1) {
      const [first, other] = [lineAt(original, start), lineAt(original, second)]
      return {
        problem: `${label} occurs more than once in the file (lines ${first} and ${other}); add surrounding lines`,
      }
    }
    if (edit.oldText === edit.newText) return { problem: `${label} and its newText are the same` }
    found.push({ start, end: start + edit.oldText.length, edit, number: index })
  }
  found.sort((a, b) => a.start - b.start)
  const clash = found.findIndex((item, at) => at > 0 && item.start < found[at - 1]!.end)
  if (clash !== -1) return { problem: `edits[${found[clash - 1]!.number}] and edits[${found[clash]!.number}] overlap` }
  let text = ''
  let position = 0
  for (const { start, end, edit } of found) {
    text += original.slice(position, start) + edit.newText
    position = end
  }
  const changes = found.map(({ start, edit }) => ({
    line: lineAt(original, start),
    removedLines: edit.oldText.split('\n').length,
    addedLines: edit.newText === '' ? 0 : edit.newText.split('\n').length,
  }))
  return { text: text + original.slice(position), changes }
}

function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
