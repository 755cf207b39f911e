import { constants, fstatSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { syncFolder } from './replace-file.ts'
import { MAX_LINE_BYTES, readAt } from './transcript-lines.ts'

const NEWLINE = 0x0a

/**
 * The one writer of a transcript. A batch of lines lands together and in order; when a write fails, the next one first
 * takes away what it left half written. The calls are made one after the other.
 */
export interface TranscriptFile {
  /** `linesAt` makes the lines once it is known where in the file they will stand. */
  append(linesAt: (position: number) => readonly string[]): Promise<void>
  /** Resolves when everything appended would also survive a power cut. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** `end` is the size of what is sound; 0 = the file begins with `headerLine`. Nothing is created before the first line. */
export function createTranscriptFile(file: string, options: { end: number; headerLine: string }): TranscriptFile {
  let { end } = options
  let handle: FileHandle | null = null
  let isClosed = false
  let wasCutShort = false
  let isSynced = true
  let endsOurLine = false
  let isNew = false

  const openFile = async (): Promise<FileHandle> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    // A transcript that was there at the start and is gone now must not begin anew without its past.
    const create = end === 0 ? constants.O_CREAT : 0
    isNew ||= end === 0
    const opened = await open(file, constants.O_RDWR | constants.O_APPEND | create | (constants.O_NOFOLLOW ?? 0), 0o600)
    const { mode } = await opened.stat()
    if ((mode & 0o077) !== 0) await opened.chmod(0o600).catch(() => {})
    return opened
  }

  /** Brings the end of the file to where a line may begin; gives what has to be written before it. */
  const prepareEnd = async (opened: FileHandle): Promise<string> => {
    const { size, nlink } = fstatSync(opened.fd)
    if (nlink === 0) throw new Error('the file was removed while it was in use')
    if (endsOurLine && size === end) return ''
    if (wasCutShort) await opened.truncate(end)
    else end = size
    wasCutShort = false
    if (end === 0) return `${options.headerLine}\n`
    // Nobody else should write here; what somebody did write all the same stays whole, and so does what comes now.
    return (await readAt(opened, end - 1, 1))[0] === NEWLINE ? '' : '\n'
  }

  return {
    async append(linesAt) {
      if (isClosed) throw unwritable(file, new Error('it is closed'))
      try {
        handle ??= await openFile()
        const before = await prepareEnd(handle)
        const lines = linesAt(end)
        if (lines.some(isTooLong)) throw tooLong()
        const bytes = Buffer.from(before + lines.map((line) => `${line}\n`).join(''))
        wasCutShort = true
        endsOurLine = false
        await writeAll(handle, bytes)
        wasCutShort = false
        endsOurLine = true
        end += bytes.length
        isSynced = false
      } catch (error) {
        throw error instanceof ClawbooError || error instanceof TypeError ? error : unwritable(file, error)
      }
    },
    async sync() {
      if (isSynced || handle === null) return
      try {
        await handle.sync()
        if (isNew) await syncFolder(dirname(file))
        isNew = false
        isSynced = true
      } catch (error) {
        throw unwritable(file, error)
      }
    },
    async close() {
      isClosed = true
      await handle?.close()
      handle = null
    },
  }
}

function isTooLong(line: string): boolean {
  return line.length > MAX_LINE_BYTES / 3 && Buffer.byteLength(line) > MAX_LINE_BYTES
}

function tooLong(): ClawbooError {
  return new ClawbooError('file_too_large', `one entry of a transcript has at most ${MAX_LINE_BYTES} bytes`)
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten
  }
}

export function unwritable(file: string, error: unknown): ClawbooError {
  const problem = error instanceof Error ? error.message : String(error)
  return new ClawbooError('store_unavailable', `the transcript cannot be written: ${problem}`, {
    details: { file },
    cause: error,
  })
}
