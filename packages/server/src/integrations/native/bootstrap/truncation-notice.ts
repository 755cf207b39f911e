import { createHash } from 'node:crypto'
import type { BootstrapReport, BootstrapReportRow } from './fit-bootstrap-files.ts'

/** Whether the prompt warns the model about shortened files. The person always sees a notice. */
export type TruncationWarning = 'off' | 'once' | 'always'

const REMEMBERED = 32

const NOTICE = [
  '[Bootstrap truncation warning]',
  'Some of the workspace files did not fit: the Project Context does not show them in full.',
  'Before you rely on a rule from a truncated file, read that file.',
] as const

/** `seen` contains the signatures of earlier warnings. Store the returned `seen` in its place. */
export function truncationNotice(
  mode: TruncationWarning,
  report: BootstrapReport,
  seen: readonly string[],
): { lines: readonly string[]; seen: readonly string[] } {
  if (mode === 'off' || !report.rows.some(isShortened)) return { lines: [], seen }
  const signature = signatureOf(report)
  const isNew = !seen.includes(signature)
  const remembered = isNew ? [...seen, signature].slice(-REMEMBERED) : seen
  return { lines: mode === 'always' || isNew ? NOTICE : [], seen: remembered }
}

/** One line for the person about every file that the prompt does not show in full. */
export function describeShortened(report: BootstrapReport): string[] {
  return report.rows.filter((row) => row.cause !== null && row.cause !== 'missing').map(describeRow)
}

function isShortened(row: BootstrapReportRow): boolean {
  return row.cause === 'max/file' || row.cause === 'max/total'
}

function describeRow(row: BootstrapReportRow): string {
  if (row.rawChars === null) {
    const size = row.rawBytes === null ? '' : ` (${row.rawBytes} bytes)`
    return `${row.name}${size} is left out: ${REASONS[row.cause as keyof typeof REASONS]}`
  }
  const removed = Math.round(((row.rawChars - row.injectedChars) / row.rawChars) * 100)
  const sizes = `${row.injectedChars} of ${row.rawChars} characters shown, ${removed} % removed (${row.cause})`
  if (row.lostHeadingCount === 0) return `${row.name}: ${sizes}`
  const named = row.lostHeadings.map(({ heading, lost }) => (lost === 'whole' ? heading : `${heading} (in part)`))
  const more = row.lostHeadingCount - named.length
  return `${row.name}: ${sizes}; lost: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const REASONS = {
  'too large': 'it is larger than 2 MiB',
  escapes: 'it is a link, or has a second hard link',
  unreadable: 'it is not a readable text file',
} as const

function signatureOf({ limits, rows }: BootstrapReport): string {
  const facts = rows.map((row) => [row.path, row.rawChars, row.injectedChars])
  return createHash('sha256')
    .update(JSON.stringify([limits.maxChars, limits.totalMaxChars, facts]))
    .digest('hex')
}
