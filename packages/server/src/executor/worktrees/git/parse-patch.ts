/** One part of a changed file. */
export interface DiffHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly DiffLine[]
}

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** True for a last line without a newline. */
  readonly isOpen?: boolean
}

export interface PatchSection {
  readonly isBinary: boolean
  readonly hunks: readonly DiffHunk[]
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Splits a patch into one section per file, in the same order. Ignores the names in it. */
export function parsePatch(patch: string): PatchSection[] {
  const sections: { isBinary: boolean; hunks: { head: RegExpExecArray; lines: DiffLine[] }[] }[] = []
  for (const line of patch.split('\n')) {
    const section = sections.at(-1)
    const hunk = section?.hunks.at(-1)
    // Every line of a hunk starts with a sign, so this is a new file.
    if (line.startsWith('diff --git ')) sections.push({ isBinary: false, hunks: [] })
    else if (!section) continue
    else if (line.startsWith('@@ ')) {
      const head = HUNK.exec(line)
      if (head) section.hunks.push({ head, lines: [] })
    } else if (!hunk) section.isBinary ||= line.startsWith('Binary files ') || line === 'GIT binary patch'
    else if (line.startsWith('+')) hunk.lines.push({ kind: 'added', text: line.slice(1) })
    else if (line.startsWith('-')) hunk.lines.push({ kind: 'removed', text: line.slice(1) })
    else if (line.startsWith(' ')) hunk.lines.push({ kind: 'same', text: line.slice(1) })
    else if (line.startsWith('\\')) hunk.lines.push({ ...hunk.lines.pop()!, isOpen: true })
  }
  return sections.map(({ isBinary, hunks }) => ({
    isBinary,
    hunks: hunks.map(({ head, lines }) => ({
      oldStart: Number(head[1]),
      oldLines: Number(head[2] ?? 1),
      newStart: Number(head[3]),
      newLines: Number(head[4] ?? 1),
      lines,
    })),
  }))
}
