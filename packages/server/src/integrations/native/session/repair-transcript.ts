import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, open, rm } from 'node:fs/promises'
import { entryFrom, entryLine, isHeader, isObject, type JsonObject, parseLine, type StoredEntry } from './entry.ts'
import { messageOf } from './model-context.ts'
import { abortedResult, NO_OPEN_CALLS, nextMessage } from './pair-results.ts'
import { storable } from './read-message.ts'
import { replaceFile } from './replace-file.ts'
import { eachLine } from './transcript-lines.ts'

export interface RepairInputs {
  /** The header for a transcript that has lost its own. */
  readonly headerLine: string
  readonly newId: () => string
  readonly now: () => number
}

/** The number of repairs of each kind. */
export interface RepairReport {
  readonly unfinishedLine: boolean
  /** Lines that are not entries. They are moved to a separate file. */
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
  /** Lines to insert before it. */
  readonly before: readonly string[]
  /** `same` keeps the bytes unchanged. */
  readonly line: 'same' | 'dropped' | { readonly text: string }
}

type TypedObject = JsonObject & { readonly type: string }

/** Reads a transcript line by line and returns the replacement of each line. Repairing twice changes nothing more. */
export class TranscriptRepair {
  readonly #inputs: RepairInputs
  readonly #report = { ...NOTHING_REPAIRED }
  readonly #ids = new Set<string>()
  /** The new parent for the children of a dropped entry. */
  readonly #parentOfDropped = new Map<string, string | null>()
  #previous: string | null = null
  #open = NO_OPEN_CALLS
  #hasHeader = false

  constructor(inputs: RepairInputs) {
    this.#inputs = inputs
  }

  /** null stands for a line that is longer than any entry. */
  offer(line: string | null): RepairedLine {
    if (line !== null && line.trim() === '') return DROPPED
    const value = line === null ? null : parseLine(line)
    if (this.#hasHeader) return this.#offerEntry(value)
    this.#hasHeader = true
    if (isHeader(value)) return { before: [], line: 'same' }
    const { before, line: replacement } = this.#offerEntry(value)
    return { before: [this.#inputs.headerLine, ...before], line: replacement }
  }

  /** Returns the lines to append after the last one. */
  end(): { readonly after: readonly string[]; readonly report: RepairReport } {
    const header = this.#hasHeader ? [] : [this.#inputs.headerLine]
    return { after: [...header, ...this.#closeOpenCalls()], report: { ...this.#report } }
  }

  #offerEntry(value: TypedObject | null): RepairedLine {
    if (value === null || value.type === 'session') {
      this.#report.brokenLines++
      return DROPPED
    }
    if (value.type === 'message' && !hasRole(value.message)) {
      if (typeof value.id === 'string') this.#parentOfDropped.set(value.id, this.#findParent(value.parentId))
      this.#report.messagesWithoutRole++
      return DROPPED
    }
    return this.#keep(value)
  }

  #keep(value: TypedObject): RepairedLine {
    const id = typeof value.id === 'string' && value.id !== '' ? value.id : this.#inputs.newId()
    let parentId = this.#findParent(value.parentId)
    const filled = fillBlank(value)
    if (filled !== value) this.#report.blankMessagesFilled++
    const entry: StoredEntry = { ...filled, id, parentId, timestamp: '' }
    const message = messageOf(entry)
    let step = message && nextMessage(this.#open, message)
    let before: string[] = []
    const leavesThePath = parentId !== this.#previous
    if (this.#open.waiting.length > 0 && (leavesThePath || (step && !step.fits && step.why === 'unanswered'))) {
      before = this.#closeOpenCalls()
      if (!leavesThePath) parentId = this.#previous
      step = message && nextMessage(this.#open, message)
    }
    if (step?.fits) this.#open = step.open
    this.#ids.add(id)
    this.#previous = id
    if (id === value.id && parentId === value.parentId && filled === value) return { before, line: 'same' }
    if (id !== value.id || parentId !== value.parentId) this.#report.relinkedEntries++
    const text = stringify({ ...filled, id, parentId })
    return { before, line: text === null ? 'same' : { text } }
  }

  #findParent(parentId: unknown): string | null {
    if (parentId === null) return null
    if (typeof parentId !== 'string') return this.#previous
    if (this.#ids.has(parentId)) return parentId
    return this.#parentOfDropped.has(parentId) ? this.#parentOfDropped.get(parentId)! : this.#previous
  }

  #closeOpenCalls(): string[] {
    const { newId, now } = this.#inputs
    const lines = this.#open.waiting.map((call) => {
      const id = newId()
      const message = abortedResult(call, now())
      const timestamp = new Date(now()).toISOString()
      const line = entryLine({ type: 'message', id, parentId: this.#previous, timestamp, message })
      this.#previous = id
      this.#ids.add(id)
      return line
    })
    this.#report.resultsAdded += lines.length
    this.#open = NO_OPEN_CALLS
    return lines
  }
}

const DROPPED: RepairedLine = { before: [], line: 'dropped' }

/** Whether a line is valid on its own, regardless of its position. */
export function isSound(value: TypedObject | null): boolean {
  if (value === null || entryFrom(value) === null) return false
  if (value.type !== 'message') return true
  return hasRole(value.message) && fillBlank(value) === value
}

function hasRole(message: unknown): boolean {
  return isObject(message) && typeof message.role === 'string' && message.role !== ''
}

/** Returns the same object unless its message needs a text. */
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

const NEWLINE = Buffer.from('\n')

/**
 * Replaces a transcript with its repaired version. Moves dropped lines to `<file>.broken`, and keeps the old file as
 * `<file>.bak` until the new one is in place.
 */
export async function rewriteTranscript(
  file: string,
  source: FileHandle,
  end: number,
  inputs: RepairInputs,
): Promise<RepairReport> {
  const repair = new TranscriptRepair(inputs)
  const backup = `${file}.bak`
  const aside = await openAside(`${file}.broken`)
  let report: RepairReport | undefined
  try {
    await replaceFile(file, async (fresh) => {
      const out = bufferedWriter(fresh)
      const broken = bufferedWriter(aside)
      const writeLines = async (lines: readonly string[]) => {
        for (const line of lines) await out.write(Buffer.from(`${line}\n`))
      }
      const keepAside = async (line: Buffer) => {
        await broken.write(line)
        await broken.write(NEWLINE)
      }
      const onLine = async (bytes: Buffer) => {
        const line = bytes.toString('utf8')
        const { before, line: replacement } = repair.offer(line)
        await writeLines(before)
        if (replacement === 'dropped') {
          if (line.trim() !== '') await keepAside(bytes)
        } else if (replacement === 'same') {
          await out.write(bytes)
          await out.write(NEWLINE)
        } else await writeLines([replacement.text])
      }
      await eachLine(source, end, onLine, {
        piece: (bytes) => broken.write(bytes),
        async end() {
          await broken.write(NEWLINE)
          await writeLines(repair.offer(null).before)
        },
      })
      const last = repair.end()
      await writeLines(last.after)
      report = last.report
      await out.flush()
      await broken.flush()
      await aside.sync()
      await rm(backup, { force: true })
      await link(file, backup).catch(() => copyFile(file, backup))
    })
  } finally {
    await aside.close()
  }
  await rm(backup, { force: true })
  await removeIfEmpty(`${file}.broken`)
  return report!
}

function openAside(file: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
  return open(file, flags, 0o600)
}

async function removeIfEmpty(file: string): Promise<void> {
  const handle = await open(file, constants.O_RDONLY)
  const { size } = await handle.stat()
  await handle.close()
  if (size === 0) await rm(file, { force: true })
}

function bufferedWriter(file: FileHandle): { write(bytes: Buffer): Promise<void>; flush(): Promise<void> } {
  let held: Buffer[] = []
  let heldBytes = 0
  const flush = async () => {
    if (heldBytes === 0) return
    const bytes = Buffer.concat(held)
    held = []
    heldBytes = 0
    await file.writeFile(bytes)
  }
  return {
    async write(bytes) {
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes > 1024 * 1024) await flush()
    },
    flush,
  }
}
