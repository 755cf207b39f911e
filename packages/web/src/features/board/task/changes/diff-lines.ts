import type { DiffFile } from '../../../../api/tasks.ts'

/** A line of a diff with its number on both sides; null = not on that side. */
export interface NumberedLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  readonly oldLine: number | null
  readonly newLine: number | null
}

type Hunk = DiffFile['hunks'][number]

export function numberLines(hunk: Hunk): readonly NumberedLine[] {
  let oldLine = hunk.oldStart
  let newLine = hunk.newStart
  return hunk.lines.map(({ kind, text }) => ({
    kind,
    text,
    oldLine: kind === 'added' ? null : oldLine++,
    newLine: kind === 'removed' ? null : newLine++,
  }))
}

/** The number of listed lines added and removed. */
export function countLines(file: Pick<DiffFile, 'hunks'>): { readonly added: number; readonly removed: number } {
  let added = 0
  let removed = 0
  for (const { lines } of file.hunks) {
    for (const { kind } of lines) {
      if (kind === 'added') added += 1
      else if (kind === 'removed') removed += 1
    }
  }
  return { added, removed }
}
