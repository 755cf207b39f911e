import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { entryFrom, isHeader, parseLine } from './entry.ts'
import { createPathCollector, type LiveContext } from './model-context.ts'
import { NO_OPEN_CALLS, nextMessage } from './pair-results.ts'
import {
  isSound,
  NOTHING_REPAIRED,
  type RepairInputs,
  type RepairReport,
  rewriteTranscript,
} from './repair-transcript.ts'
import { endOfLastLine, linesBackwards, MAX_LINE_BYTES, readAt } from './transcript-lines.ts'

/** More than any model can read. Older messages stay in the file and are not loaded. */
const CONTEXT_MAX_BYTES = 32 * 1024 * 1024
const HEADER_MAX_BYTES = 64 * 1024

export interface LoadedTranscript {
  readonly context: LiveContext
  readonly leafId: string | null
  /** The highest counted entry id that was read. */
  readonly lastCount: number
  /** Size of the file; 0 = no file yet. */
  readonly end: number
  /** The oldest messages of the context were not loaded, because the context is too large. */
  readonly olderLeftOut: boolean
  readonly report: RepairReport
}

/** Reads the live context from the end of the file backwards and repairs damage. Never rejects because of the content. */
export async function loadTranscript(file: string, inputs: RepairInputs): Promise<LoadedTranscript> {
  const handle = await openToRepair(file)
  if (handle === null) return { ...EMPTY, report: NOTHING_REPAIRED }
  try {
    const { end, unfinishedLine } = await finishLastLine(handle)
    const scan = await scanBackwards(handle, end)
    if (!scan.isDamaged) return { ...scan, end, report: { ...NOTHING_REPAIRED, unfinishedLine } }
    const report = await rewriteTranscript(file, handle, end, inputs)
    return { ...(await rescan(file)), report: { ...report, unfinishedLine } }
  } finally {
    await handle.close()
  }
}

const EMPTY = {
  context: { live: [], compaction: null, chainBroken: false },
  leafId: null,
  lastCount: 0,
  end: 0,
  olderLeftOut: false,
} as const

async function openToRepair(file: string): Promise<FileHandle | null> {
  // Without O_NONBLOCK, opening a named pipe would block for ever.
  const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null || (await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error('it is not a regular file')
}

async function rescan(file: string): Promise<Omit<LoadedTranscript, 'report'>> {
  const handle = await open(file, constants.O_RDONLY)
  try {
    const end = (await handle.stat()).size
    return { ...(await scanBackwards(handle, end)), end }
  } finally {
    await handle.close()
  }
}

/** Adds the missing newline to a complete last line, and removes an incomplete one. */
async function finishLastLine(handle: FileHandle): Promise<{ end: number; unfinishedLine: boolean }> {
  const { size } = await handle.stat()
  const end = await endOfLastLine(handle, size)
  if (end === size) return { end, unfinishedLine: false }
  const rest = size - end > MAX_LINE_BYTES ? '' : (await readAt(handle, end, size - end)).toString('utf8')
  if (parseLine(rest) !== null) {
    await handle.write('\n', size)
    return { end: size + 1, unfinishedLine: false }
  }
  await handle.truncate(end)
  return { end, unfinishedLine: true }
}

interface Scan extends Omit<LoadedTranscript, 'report' | 'end'> {
  readonly isDamaged: boolean
}

async function scanBackwards(handle: FileHandle, end: number): Promise<Scan> {
  if (end === 0) return { ...EMPTY, isDamaged: false }
  const path = createPathCollector()
  let isDamaged = !(await hasHeader(handle, end))
  let leafId: string | null = null
  let lastCount = 0
  let bytesTaken = 0
  const offer = (line: string): ReturnType<typeof path.offer> => {
    if (line.trim() === '') return 'aside'
    const value = parseLine(line)
    const entry = value && entryFrom(value)
    if (!entry || !isSound(value)) {
      isDamaged = true
      return 'aside'
    }
    leafId ??= entry.id
    if (/^[0-9a-f]{8}$/.test(entry.id)) lastCount = Math.max(lastCount, Number.parseInt(entry.id, 16))
    return path.offer(entry)
  }
  reading: for await (const lines of linesBackwards(handle, end)) {
    for (const { at, bytes } of lines) {
      if (at === 0) break reading
      const taken = bytes === null ? 'aside' : offer(bytes.toString('utf8'))
      if (bytes === null) isDamaged = true
      else if (taken !== 'aside') bytesTaken += bytes.length
      if (taken === 'last' || bytesTaken > CONTEXT_MAX_BYTES) break reading
    }
  }
  const olderLeftOut = bytesTaken > CONTEXT_MAX_BYTES
  const context = path.finish()
  isDamaged ||= (context.chainBroken && !olderLeftOut) || lacksResults(context)
  return { context: olderLeftOut ? fromFirstQuestion(context) : context, leafId, lastCount, olderLeftOut, isDamaged }
}

async function hasHeader(handle: FileHandle, end: number): Promise<boolean> {
  const start = await readAt(handle, 0, Math.min(end, HEADER_MAX_BYTES))
  const newline = start.indexOf(0x0a)
  return newline > 0 && isHeader(parseLine(start.subarray(0, newline).toString('utf8')))
}

/** Open calls at the very end are not damage: the run was interrupted there. */
function lacksResults({ live }: LiveContext): boolean {
  let open = NO_OPEN_CALLS
  for (const { message } of live) {
    const step = nextMessage(open, message)
    if (step.fits) open = step.open
    else if (step.why === 'unanswered') return true
  }
  return false
}

function fromFirstQuestion(context: LiveContext): LiveContext {
  if (context.compaction !== null) return context
  const first = context.live.findIndex(({ message }) => message.role === 'user')
  return { ...context, live: first === -1 ? [] : context.live.slice(first) }
}
