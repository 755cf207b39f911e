import { entryFrom, entryLine, isHeader, isObject, type JsonObject, parseLine, type StoredEntry } from './entry.ts'
import { messageOf } from './model-context.ts'
import { abortedResult, NO_OPEN_CALLS, nextMessage } from './pair-results.ts'
import { storable } from './read-message.ts'

export interface RepairInputs {
  /** The line for a transcript that has lost its first one. */
  readonly headerLine: string
  readonly newId: () => string
  readonly now: () => number
}

/** What was done to a transcript, in numbers a person can be told. */
export interface RepairReport {
  readonly unfinishedLine: boolean
  /** Lines that are no entries; they are kept aside. */
  readonly brokenLines: number
  readonly messagesWithoutRole: number
  readonly relinkedEntries: number
  readonly blankMessagesFilled: number
  readonly resultsAdded: number
}

export const NOTHING_REPAIRED: RepairReport = {
  unfinishedLine: false,
  brokenLines: 0,
  messagesWithoutRole: 0,
  relinkedEntries: 0,
  blankMessagesFilled: 0,
  resultsAdded: 0,
}

export interface RepairedLine {
  /** Lines that come before it. */
  readonly before: readonly string[]
  /** `same` keeps the bytes as they are. */
  readonly line: 'same' | 'dropped' | { readonly text: string }
}

export interface TranscriptRepair {
  /** null stands for a line that is too long to be one. */
  offer(line: string | null): RepairedLine
  /** The lines that come after the last one. */
  end(): { readonly after: readonly string[]; readonly report: RepairReport }
}

/** Goes through a transcript line by line and gives every line its replacement. Repairing twice changes nothing more. */
export function createTranscriptRepair({ headerLine, newId, now }: RepairInputs): TranscriptRepair {
  const ids = new Set<string>()
  /** Where the children of a dropped entry belong. */
  const parentOfDropped = new Map<string, string | null>()
  const report = { ...NOTHING_REPAIRED }
  let previous: string | null = null
  let open = NO_OPEN_CALLS
  let hasHeader = false

  const closeOpenCalls = (): string[] => {
    const lines = open.waiting.map((call) => {
      const id = newId()
      const message = abortedResult(call, now())
      const timestamp = new Date(now()).toISOString()
      const line = entryLine({ type: 'message', id, parentId: previous, timestamp, message })
      previous = id
      ids.add(id)
      return line
    })
    report.resultsAdded += lines.length
    open = NO_OPEN_CALLS
    return lines
  }

  const findParent = (parentId: unknown): string | null => {
    if (parentId === null) return null
    if (typeof parentId !== 'string') return previous
    if (ids.has(parentId)) return parentId
    return parentOfDropped.has(parentId) ? parentOfDropped.get(parentId)! : previous
  }

  const drop = (): RepairedLine => ({ before: [], line: 'dropped' })

  const keep = (value: JsonObject & { readonly type: string }): RepairedLine => {
    const id = typeof value.id === 'string' && value.id !== '' ? value.id : newId()
    let parentId = findParent(value.parentId)
    const filled = fillBlank(value)
    if (filled !== value) report.blankMessagesFilled++
    const entry: StoredEntry = { ...filled, id, parentId, timestamp: '' }
    const message = messageOf(entry)
    let step = message && nextMessage(open, message)
    let before: string[] = []
    const leavesThePath = parentId !== previous
    if (open.waiting.length > 0 && (leavesThePath || (step && !step.fits && step.why === 'unanswered'))) {
      before = closeOpenCalls()
      if (!leavesThePath) parentId = previous
      step = message && nextMessage(open, message)
    }
    if (step?.fits) open = step.open
    ids.add(id)
    previous = id
    if (id === value.id && parentId === value.parentId && filled === value) return { before, line: 'same' }
    if (id !== value.id || parentId !== value.parentId) report.relinkedEntries++
    const text = stringify({ ...filled, id, parentId })
    return { before, line: text === null ? 'same' : { text } }
  }

  const offerEntry = (value: (JsonObject & { readonly type: string }) | null): RepairedLine => {
    if (value === null || value.type === 'session') {
      report.brokenLines++
      return drop()
    }
    if (value.type === 'message' && !hasRole(value.message)) {
      if (typeof value.id === 'string') parentOfDropped.set(value.id, findParent(value.parentId))
      report.messagesWithoutRole++
      return drop()
    }
    return keep(value)
  }

  return {
    offer(line) {
      if (line !== null && line.trim() === '') return drop()
      const value = line === null ? null : parseLine(line)
      if (hasHeader) return offerEntry(value)
      hasHeader = true
      if (isHeader(value)) return { before: [], line: 'same' }
      const { before, line: fate } = offerEntry(value)
      return { before: [headerLine, ...before], line: fate }
    },
    end: () => ({ after: [...(hasHeader ? [] : [headerLine]), ...closeOpenCalls()], report: { ...report } }),
  }
}

/** Whether a line by itself, apart from its place, is as this program would write it. */
export function isSound(value: (JsonObject & { readonly type: string }) | null): boolean {
  if (value === null || entryFrom(value) === null) return false
  if (value.type !== 'message') return true
  return hasRole(value.message) && fillBlank(value) === value
}

function hasRole(message: unknown): boolean {
  return isObject(message) && typeof message.role === 'string' && message.role !== ''
}

/** A message no provider takes gets words; everything else is the same object. */
function fillBlank<Value extends JsonObject>(value: Value): Value {
  if (value.type !== 'message' || !isObject(value.message)) return value
  const message = storable(value.message)
  return message === value.message ? value : { ...value, message }
}

function stringify(value: JsonObject): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}
