import { constants, fstatSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { syncFolder } from './replace-file.ts'
import { MAX_LINE_BYTES, readAt } from './transcript-lines.ts'

const NEWLINE = 0x0a

/**
 * The only writer of one transcript. Its callers make one call at a time. A batch of lines is written together and in
 * order. After a failed write, the next write first removes the partial batch.
 */
export class TranscriptFile {
  readonly #file: string
  readonly #headerLine: string
  #end: number
  #handle: FileHandle | null = null
  #isClosed = false
  #wasCutShort = false
  #isSynced = true
  #endsOurLine = false
  #isNew = false

  /** `end` is the size of the intact part; 0 = write `headerLine` first. The file is created with the first line. */
  constructor(file: string, options: { readonly end: number; readonly headerLine: string }) {
    this.#file = file
    this.#end = options.end
    this.#headerLine = options.headerLine
  }

  /** `linesAt` receives the position of the batch in the file and returns its lines. */
  async append(linesAt: (position: number) => readonly string[]): Promise<void> {
    if (this.#isClosed) throw unwritable(this.#file, new Error('it is closed'))
    try {
      this.#handle ??= await this.#open()
      const before = await this.#prepareEnd(this.#handle)
      const lines = linesAt(this.#end)
      if (lines.some(isTooLong)) throw tooLong()
      const bytes = Buffer.from(before + lines.map((line) => `${line}\n`).join(''))
      this.#wasCutShort = true
      this.#endsOurLine = false
      await writeAll(this.#handle, bytes)
      this.#wasCutShort = false
      this.#endsOurLine = true
      this.#end += bytes.length
      this.#isSynced = false
    } catch (error) {
      throw error instanceof ClawbooError || error instanceof TypeError ? error : unwritable(this.#file, error)
    }
  }

  /** Resolves when everything appended would survive a power cut. */
  async sync(): Promise<void> {
    if (this.#isSynced || this.#handle === null) return
    try {
      await this.#handle.sync()
      if (this.#isNew) await syncFolder(dirname(this.#file))
      this.#isNew = false
      this.#isSynced = true
    } catch (error) {
      throw unwritable(this.#file, error)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#handle?.close()
    this.#handle = null
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    // A transcript that existed when the session was opened and is gone now must not be recreated without its history.
    const create = this.#end === 0 ? constants.O_CREAT : 0
    this.#isNew ||= this.#end === 0
    const flags = constants.O_RDWR | constants.O_APPEND | create | (constants.O_NOFOLLOW ?? 0)
    const handle = await open(this.#file, flags, 0o600)
    const { mode } = await handle.stat()
    // A file system without modes cannot narrow them; the transcript is still usable.
    if ((mode & 0o077) !== 0) await handle.chmod(0o600).catch(() => {})
    return handle
  }

  /** Makes sure that a line can start at the end of the file. Returns the text to write before the next line. */
  async #prepareEnd(handle: FileHandle): Promise<string> {
    const { size, nlink } = fstatSync(handle.fd)
    if (nlink === 0) throw new Error('the file was removed while it was in use')
    if (this.#endsOurLine && size === this.#end) return ''
    if (this.#wasCutShort) await handle.truncate(this.#end)
    else this.#end = size
    this.#wasCutShort = false
    if (this.#end === 0) return `${this.#headerLine}\n`
    // No other program should write here. If one did, its last line may lack a newline: keep both lines intact.
    return (await readAt(handle, this.#end - 1, 1))[0] === NEWLINE ? '' : '\n'
  }
}

function isTooLong(line: string): boolean {
  return line.length > MAX_LINE_BYTES / 3 && Buffer.byteLength(line) > MAX_LINE_BYTES
}

function tooLong(): ClawbooError {
  return new ClawbooError('file_too_large', `a transcript entry can have at most ${MAX_LINE_BYTES} bytes`)
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
