import { factsOf } from './bootstrap-file.ts'

/** Why a file has no text. */
export type Absence = 'missing' | 'too large' | 'escapes' | 'unreadable'

/** A file as read from disk. */
export type BootstrapFile = {
  readonly name: string
  /** Absolute. */
  readonly path: string
  /** null = unknown. */
  readonly bytes: number | null
} & ({ readonly text: string; readonly absence: null } | { readonly text: null; readonly absence: Absence })

export interface BootstrapLimits {
  /** The most characters of one file. */
  readonly maxChars: number
  /** The most characters of all files together. */
  readonly totalMaxChars: number
}

export const BOOTSTRAP_LIMITS: BootstrapLimits = { maxChars: 12_000, totalMaxChars: 60_000 }

/** A file as the prompt shows it. */
export interface FittedFile {
  readonly name: string
  readonly path: string
  readonly text: string
}

export interface BootstrapReportRow {
  readonly name: string
  readonly path: string
  /** The length of the file itself; null when its text was not read. */
  readonly rawChars: number | null
  readonly rawBytes: number | null
  readonly injectedChars: number
  /** Why the prompt does not show the whole file; null = it does. */
  readonly cause: 'max/file' | 'max/total' | Absence | null
  /** The first sections that the prompt leaves out, completely or in part. */
  readonly lostHeadings: readonly LostHeading[]
  readonly lostHeadingCount: number
}

export interface BootstrapReport {
  readonly limits: BootstrapLimits
  readonly rows: readonly BootstrapReportRow[]
  readonly injectedChars: number
}

/** With less than this left of the total, no further file is added. */
const LEAST_FILE_BUDGET = 64
const LISTED_HEADINGS = 50

/** Distributes the budget in the given order. The report has a row for every file, even for one that got nothing. */
export function fitBootstrapFiles(
  files: readonly BootstrapFile[],
  limits: BootstrapLimits = BOOTSTRAP_LIMITS,
): { files: FittedFile[]; report: BootstrapReport } {
  let remaining = Math.max(0, limits.totalMaxChars)
  let full = false
  const fitted: FittedFile[] = []
  const rows = files.map((file): BootstrapReportRow => {
    const { text, row } = fitFile(file, limits, full ? 0 : remaining)
    if (text !== '') fitted.push({ name: file.name, path: file.path, text })
    remaining -= text.length
    // Once a file does not fit, a later and shorter one must not take its place.
    full ||= row.cause === 'max/total' && text === ''
    return row
  })
  return {
    files: fitted,
    report: { limits, rows, injectedChars: rows.reduce((sum, row) => sum + row.injectedChars, 0) },
  }
}

function fitFile(file: BootstrapFile, limits: BootstrapLimits, remaining: number) {
  if (file.text === null) return fitAbsence(file, remaining)
  const text = file.text.trimEnd()
  const budget = Math.min(limits.maxChars, remaining)
  const row = { name: file.name, path: file.path, rawChars: file.text.length, rawBytes: file.bytes }
  const nothingLost = { lostHeadings: [], lostHeadingCount: 0 }
  if (text === '') {
    return { text: '', row: { ...row, injectedChars: 0, cause: null, ...nothingLost } }
  }
  if (remaining >= LEAST_FILE_BUDGET && text.length <= budget) {
    return { text, row: { ...row, injectedChars: text.length, cause: null, ...nothingLost } }
  }
  const noRoom = remaining < LEAST_FILE_BUDGET
  const cause = noRoom || remaining < limits.maxChars ? ('max/total' as const) : ('max/file' as const)
  const cut = noRoom ? NOTHING_KEPT : cutText(text, file.name, budget, file.text.length)
  const lost = lostHeadings(text, cut.head, text.length - cut.tail)
  return {
    text: cut.text,
    row: {
      ...row,
      injectedChars: cut.text.length,
      cause,

      lostHeadings: lost.slice(0, LISTED_HEADINGS),
      lostHeadingCount: lost.length,
    },
  }
}

const NOTHING_KEPT: CutText = { text: '', head: 0, tail: 0 }

function fitAbsence(file: BootstrapFile & { readonly text: null }, remaining: number) {
  const marker = factsOf(file.name).marksAbsence ? `[MISSING] Expected at: ${file.path}` : ''
  const text =
    marker.length <= remaining ? marker : `${marker.slice(0, Math.max(0, remaining - 1))}…`.slice(0, remaining)
  const row: BootstrapReportRow = {
    name: file.name,
    path: file.path,
    rawChars: null,
    rawBytes: file.bytes,
    injectedChars: text.length,
    cause: file.absence,

    lostHeadings: [],
    lostHeadingCount: 0,
  }
  return { text, row }
}

interface LostHeading {
  readonly heading: string
  readonly lost: 'whole' | 'part'
}

const LONGEST_HEADING = 120

/** The Markdown sections that a cut from `from` to `to` removes from a text, completely or in part. */
function lostHeadings(text: string, from: number, to: number): LostHeading[] {
  const sections = sectionsOf(text)
  return sections.flatMap(({ heading, start }, at) => {
    const end = sections[at + 1]?.start ?? text.length
    if (end <= from || start >= to) return []
    return [{ heading, lost: start >= from && end <= to ? 'whole' : 'part' } as const]
  })
}

function sectionsOf(text: string): { heading: string; start: number }[] {
  const sections: { heading: string; start: number }[] = []
  let fence = ''
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    // The first characters are enough to recognise a heading or a fence. The rest of the line may be the whole file.
    const line = text.slice(start, Math.min(end, start + LONGEST_HEADING + 10))
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (fence === '' || (mark[0] === fence[0] && mark.length >= fence.length)))
      fence = fence === '' ? mark : ''
    const title = fence === '' ? /^ {0,3}#{1,6}[ \t]+(\S.*)/.exec(line)?.[1] : undefined
    if (title) sections.push({ heading: title.trim().slice(0, LONGEST_HEADING), start })
    start = end + 1
  }
  return sections
}

interface CutText {
  readonly text: string
  /** The number of characters kept at the beginning and at the end. */
  readonly head: number
  readonly tail: number
}

const HEAD_SHARE = 0.75
const TAIL_SHARE = 0.25
/** The long marker is used only if it leaves at least this much content. */
const LEAST_CONTENT = 16
const ROUNDS = 3

/**
 * Shortens a text to at most `max` characters: its beginning and its end, with a marker between them that states how much
 * was kept of `whole` characters. Do not reword the markers: models recognise them and people search for them.
 */
export function cutText(text: string, name: string, max: number, whole = text.length): CutText {
  const long: Marker = (head, tail) =>
    `\n\n[...truncated, read ${name} for full content...]\n…(truncated ${name}: kept ${head}+${tail} chars of ${whole})…\n\n`
  const short: Marker = (head, tail) => `[…truncated ${head}+${tail}/${whole}]`
  const roomy = settle(long, max)
  const [marker, kept] = roomy.content >= LEAST_CONTENT ? [long, roomy] : [short, settle(short, max)]
  const head = wholeCharacters(text, kept.head)
  const tail = wholeCharactersFromEnd(text, kept.tail)
  const joined = text.slice(0, head) + marker(head, tail) + text.slice(text.length - tail)
  return { text: joined.slice(0, Math.max(0, max)), head, tail }
}

type Marker = (head: number, tail: number) => string

/**
 * The marker contains numbers that depend on its own length. The first round assumes the longest numbers, so every odd
 * round reserves at least the space that its marker needs. An even last round might not fit.
 */
function settle(marker: Marker, max: number): { head: number; tail: number; content: number } {
  let kept = share(max)
  for (let round = 0; round < ROUNDS; round++) kept = share(max - marker(kept.head, kept.tail).length)
  return kept
}

function share(budget: number): { head: number; tail: number; content: number } {
  const content = Math.max(0, budget)
  return { head: Math.floor(content * HEAD_SHARE), tail: Math.floor(content * TAIL_SHARE), content }
}

/** Half of a surrogate pair would reach the model as an invalid character. */
function wholeCharacters(text: string, length: number): number {
  return isHighSurrogate(text.charCodeAt(length - 1)) && length < text.length ? length - 1 : length
}

function wholeCharactersFromEnd(text: string, length: number): number {
  const start = text.length - length
  return start > 0 && length > 0 && isHighSurrogate(text.charCodeAt(start - 1)) ? length - 1 : length
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
