/** The parts of a Boo's text. Anything unrecognised is plain text; nothing becomes markup of the page. */
export type MarkdownPart =
  | { readonly kind: 'paragraph' | 'quote'; readonly source: string; readonly text: string }
  | { readonly kind: 'heading'; readonly source: string; readonly level: number; readonly text: string }
  | { readonly kind: 'fence'; readonly source: string; readonly language: string; readonly code: string }
  | { readonly kind: 'list'; readonly source: string; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table'
      readonly source: string
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly kind: 'rule'; readonly source: string }

export interface ListItem {
  readonly depth: number
  /** Its number in an ordered list; null = a bullet. */
  readonly number: number | null
  readonly text: string
}

export interface MarkdownReading {
  readonly text: string
  readonly parts: readonly MarkdownPart[]
  /** Where each part begins. */
  readonly starts: readonly number[]
}

/** Each pattern takes linear time: a Boo may repeat any text, including one built to be slow. */
const FENCE = /^( *)(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const QUOTE = /^ {0,3}>\s?(.*)$/

/**
 * Parses a text. Parts of an earlier result are reused, except the last two, because a growing line may turn out to
 * belong to the part before it.
 */
export function readMarkdown(text: string, before?: MarkdownReading): MarkdownReading {
  const kept = before && text.startsWith(before.text) ? Math.max(0, before.parts.length - 2) : 0
  const parts = before?.parts.slice(0, kept) ?? []
  const starts = before?.starts.slice(0, kept) ?? []
  const start = kept === 0 ? 0 : before!.starts[kept]!
  const reader = { lines: text.slice(start).split('\n'), at: 0, offset: start }
  while (reader.at < reader.lines.length) {
    if (reader.lines[reader.at]!.trim() === '') {
      step(reader)
      continue
    }
    starts.push(reader.offset)
    parts.push(readPart(reader))
  }
  return { text, parts, starts }
}

interface Reader {
  readonly lines: readonly string[]
  at: number
  offset: number
}

function step(reader: Reader): string {
  const line = reader.lines[reader.at]!
  reader.at += 1
  reader.offset += line.length + 1
  return line
}

function readPart(reader: Reader): MarkdownPart {
  const line = reader.lines[reader.at]!
  const from = reader.at
  const source = () => reader.lines.slice(from, reader.at).join('\n')
  const fence = FENCE.exec(line)
  if (fence) return readFence(reader, fence, source)
  const heading = HEADING.exec(line)
  if (heading) {
    step(reader)
    return { kind: 'heading', source: line, level: heading[1]!.length, text: withoutClosingMarks(heading[2]!) }
  }
  if (RULE.test(line)) {
    step(reader)
    return { kind: 'rule', source: line }
  }
  if (ITEM.test(line)) return readList(reader, source)
  if (isTable(reader)) return readTable(reader, source)
  const quote = QUOTE.test(line)
  const texts: string[] = []
  while (reader.at < reader.lines.length) {
    const next = reader.lines[reader.at]!
    if (next.trim() === '' || (texts.length > 0 && (quote ? !QUOTE.test(next) : beginsOther(next)))) break
    texts.push(quote ? (QUOTE.exec(next)?.[1] ?? next) : next)
    step(reader)
  }
  return { kind: quote ? 'quote' : 'paragraph', source: source(), text: texts.join('\n') }
}

/** `# Title ##` is `Title`. */
function withoutClosingMarks(text: string): string {
  const trimmed = text.trimEnd()
  let end = trimmed.length
  while (end > 0 && trimmed[end - 1] === '#') end -= 1
  const isClosing = end < trimmed.length && (end === 0 || /\s/.test(trimmed[end - 1]!))
  return isClosing ? trimmed.slice(0, end).trimEnd() : trimmed
}

function beginsOther(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || ITEM.test(line) || QUOTE.test(line)
}

/** An unclosed fence contains everything after it, so it is code from its first line. */
function readFence(reader: Reader, open: RegExpExecArray, source: () => string): MarkdownPart {
  step(reader)
  const [, indent, mark, rest] = open as unknown as [string, string, string, string]
  const close = new RegExp(`^ *${mark[0] === '`' ? '`' : '~'}{${mark.length},}\\s*$`)
  const code: string[] = []
  while (reader.at < reader.lines.length) {
    const line = step(reader)
    if (close.test(line)) break
    // Code below a list item is indented like the item's text.
    code.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart())
  }
  return { kind: 'fence', source: source(), language: rest.trim().split(/\s/, 1)[0] ?? '', code: code.join('\n') }
}

function readList(reader: Reader, source: () => string): MarkdownPart {
  const items: { depth: number; number: number | null; text: string }[] = []
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at]!
    const item = ITEM.exec(line)
    if (FENCE.test(line)) break
    if (item) {
      const depth = Math.min(6, Math.floor(item[1]!.replaceAll('\t', '    ').length / 2))
      items.push({ depth, number: item[2] === undefined ? null : Number(item[2]), text: item[3]! })
    } else if (line.trim() === '') {
      const next = reader.lines[reader.at + 1]
      if (next === undefined || !(ITEM.test(next) || /^\s{2,}\S/.test(next))) break
    } else if (/^\s{2,}\S/.test(line) && items.length > 0) {
      const last = items.at(-1)!
      last.text = `${last.text}\n${line.trim()}`
    } else break
    step(reader)
  }
  return { kind: 'list', source: source(), items }
}

function isTable(reader: Reader): boolean {
  const next = reader.lines[reader.at + 1]
  return reader.lines[reader.at]!.includes('|') && next?.includes('|') === true && isTableLine(next)
}

/** `| --- | :-: |`. */
function isTableLine(line: string): boolean {
  return /^[\s|:-]+$/.test(line) && cells(line).every((cell) => /^:?-+:?$/.test(cell))
}

function readTable(reader: Reader, source: () => string): MarkdownPart {
  const head = cells(step(reader))
  step(reader)
  const rows: string[][] = []
  while (reader.at < reader.lines.length && reader.lines[reader.at]!.includes('|')) rows.push(cells(step(reader)))
  return { kind: 'table', source: source(), head, rows }
}

/** `\|` is a bar inside a cell, even inside code; every other backslash stays for the cell's own parsing. */
function cells(line: string): string[] {
  const row = line.trim()
  const found: string[] = []
  let cell = ''
  for (let at = row.startsWith('|') ? 1 : 0; at < row.length; at++) {
    const character = row[at]!
    if (character === '|') {
      found.push(cell.trim())
      cell = ''
    } else if (character === '\\' && at + 1 < row.length) {
      at += 1
      cell += row[at] === '|' ? '|' : `\\${row[at]}`
    } else cell += character
  }
  // A bar at the end closes the last cell and opens none.
  if (cell.trim() !== '' || found.length === 0 || !row.endsWith('|')) found.push(cell.trim())
  return found
}
