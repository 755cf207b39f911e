import { factsOf } from './bootstrap-file.ts'
import { type CutText, cutText } from './cut-text.ts'
import { type LostHeading, lostHeadings } from './lost-headings.ts'

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
  /** The file fits, but with little room to spare. */
  readonly nearLimit: boolean
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
const NEAR_LIMIT = 0.85
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
    return { text: '', row: { ...row, injectedChars: 0, cause: null, nearLimit: false, ...nothingLost } }
  }
  if (remaining >= LEAST_FILE_BUDGET && text.length <= budget) {
    const nearLimit = text.length >= limits.maxChars * NEAR_LIMIT
    return { text, row: { ...row, injectedChars: text.length, cause: null, nearLimit, ...nothingLost } }
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
      nearLimit: false,
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
    nearLimit: false,
    lostHeadings: [],
    lostHeadingCount: 0,
  }
  return { text, row }
}
