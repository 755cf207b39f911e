export type PatchSection =
  | { readonly kind: 'add'; readonly line: number; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly line: number; readonly path: string }
  | {
      readonly kind: 'update'
      readonly line: number
      readonly path: string
      readonly moveTo: string | null
      readonly hunks: readonly PatchHunk[]
    }

export interface PatchHunk {
  /** Line in the patch, counted from 1. */
  readonly line: number
  /** The text after `@@`: a line of the file. The search for the hunk starts after it. */
  readonly context: string | null
  readonly lines: readonly { readonly mark: ' ' | '+' | '-'; readonly text: string }[]
  /** The hunk is at the end of the file. */
  readonly atEnd: boolean
}

export type ParsedPatch = { readonly sections: readonly PatchSection[] } | { readonly problem: string }

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const HEADER = /^\*\*\* (Add|Delete|Update) File: (.*)$/

/** Parses a patch. A problem names the line of the patch. */
export function parsePatch(input: string): ParsedPatch {
  const lines = input.replaceAll('\r\n', '\n').trimEnd().split('\n')
  let at = lines.findIndex((line) => line.trim() !== '')
  if (at === -1 || lines[at]!.trim() !== BEGIN) return problem(Math.max(at, 0), `expected "${BEGIN}"`)
  const end = lines.length - 1
  if (end <= at || lines[end]!.trim() !== END) return problem(end, `expected "${END}" as the last line`)
  const sections: PatchSection[] = []
  at++
  while (at < end) {
    const read = readSection(lines, at, end)
    if ('problem' in read) return read
    sections.push(read.section)
    at = read.next
  }
  if (sections.length === 0) return problem(end, 'the patch names no file')
  return { sections }
}

type ReadSection = { readonly section: PatchSection; readonly next: number } | { readonly problem: string }

function readSection(lines: readonly string[], at: number, end: number): ReadSection {
  const header = HEADER.exec(lines[at]!)
  const path = header?.[2]?.trim()
  if (!header || !path)
    return problem(at, 'expected "*** Add File: ", "*** Update File: " or "*** Delete File: " and a path')
  const line = at + 1
  if (header[1] === 'Delete') return { section: { kind: 'delete', line, path }, next: at + 1 }
  return header[1] === 'Add' ? readAdd(lines, at, end, path) : readUpdate(lines, at, end, path)
}

function readAdd(lines: readonly string[], at: number, end: number, path: string): ReadSection {
  let next = at + 1
  let content = ''
  while (next < end && !HEADER.test(lines[next]!)) {
    if (!lines[next]!.startsWith('+')) return problem(next, 'every line of a new file must start with "+"')
    content += `${lines[next]!.slice(1)}\n`
    next++
  }
  return { section: { kind: 'add', line: at + 1, path, content }, next }
}

function readUpdate(lines: readonly string[], at: number, end: number, path: string): ReadSection {
  const move = /^\*\*\* Move to: (.*)$/.exec(lines[at + 1] ?? '')
  if (move && move[1]!.trim() === '') return problem(at + 1, 'expected a path after "*** Move to: "')
  let next = at + (move ? 2 : 1)
  const hunks: PatchHunk[] = []
  while (next < end && !HEADER.test(lines[next]!)) {
    const read = readHunk(lines, next, end, hunks.length === 0)
    if ('problem' in read) return read
    hunks.push(read.hunk)
    next = read.next
  }
  if (hunks.length === 0 && !move) return problem(at, `the update of "${path}" changes nothing`)
  return { section: { kind: 'update', line: at + 1, path, moveTo: move ? move[1]!.trim() : null, hunks }, next }
}

function readHunk(
  lines: readonly string[],
  start: number,
  end: number,
  first: boolean,
): { readonly hunk: PatchHunk; readonly next: number } | { readonly problem: string } {
  const marker = /^@@(?: (.*))?$/.exec(lines[start]!)
  if (!marker && !first) return problem(start, 'expected "@@"')
  let at = marker ? start + 1 : start
  let atEnd = false
  const body: PatchHunk['lines'][number][] = []
  for (; at < end && !HEADER.test(lines[at]!) && !/^@@( |$)/.test(lines[at]!); at++) {
    const line = lines[at]!
    if (line === '*** End of File') {
      atEnd = true
      at++
      break
    }
    // An empty line stands for an empty context line whose leading space was trimmed.
    const mark = line === '' ? ' ' : line[0]!
    if (mark !== ' ' && mark !== '+' && mark !== '-')
      return problem(at, 'expected a line that starts with " ", "+" or "-"')
    body.push({ mark, text: line.slice(1) })
  }
  if (!body.some(({ mark }) => mark !== ' ')) return problem(start, 'this part of the update changes nothing')
  const context = marker?.[1]?.trim() ? marker[1] : null
  return { hunk: { line: start + 1, context, lines: body, atEnd }, next: at }
}

function problem(index: number, text: string): { readonly problem: string } {
  return { problem: `line ${index + 1} of the patch: ${text}` }
}
