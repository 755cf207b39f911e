import { isUtf8 } from 'node:buffer'
import { type BigIntStats, constants, lstatSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Absence } from './fit-bootstrap-files.ts'

export type PlainFile =
  | { readonly text: string; readonly absence: null; readonly bytes: number }
  | { readonly text: null; readonly absence: Absence; readonly bytes: number | null }

export interface PlainFiles {
  /** Reads a file again only if it has changed. Never rejects. */
  read(path: string): Promise<PlainFile>
}

export interface PlainFilesOptions {
  readonly maxBytes: number
  /** Whether to accept a file with a second hard link, which may belong to a path outside. */
  readonly mayBeHardLinked: boolean
  /** The size of the cache, in characters. */
  readonly maxKeptChars: number
  /** Milliseconds. The same clock as the file times. */
  now?(): number
}

/** Younger files are not cached: a second change within one tick of the file system's clock would go unnoticed. */
const SETTLING_NANOSECONDS = 2_000_000_000n

/** Reads and caches regular files. Refuses a link at the end of the path. */
export function createPlainFiles(options: PlainFilesOptions): PlainFiles {
  const kept = new Map<string, { stamp: string; file: PlainFile }>()
  let keptChars = 0
  const forget = (path: string) => {
    keptChars -= kept.get(path)?.file.text?.length ?? 0
    kept.delete(path)
  }
  const keep = (path: string, stamp: string, file: PlainFile) => {
    kept.set(path, { stamp, file })
    keptChars += file.text?.length ?? 0
    for (const oldest of kept.keys()) {
      if (keptChars <= options.maxKeptChars) break
      forget(oldest)
    }
  }

  return {
    async read(path) {
      try {
        const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
        if (stats === undefined) {
          forget(path)
          return absent('missing')
        }
        const known = kept.get(path)
        if (known?.stamp === stampOf(stats)) return known.file
        forget(path)
        const refusal = refuse(stats, options)
        if (refusal) return refusal
        const { file, settled } = await readOnce(path, options)
        // Another read of the same path may have cached it in the meantime.
        forget(path)
        if (settled) keep(path, settled, file)
        return file
      } catch (error) {
        forget(path)
        return absent(absenceOf(error as NodeJS.ErrnoException))
      }
    },
  }
}

async function readOnce(
  path: string,
  options: PlainFilesOptions,
): Promise<{ file: PlainFile; settled: string | null }> {
  // O_NOFOLLOW refuses a link that was created after the check. O_NONBLOCK keeps a pipe from blocking the read.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const before = await handle.stat({ bigint: true })
    const refusal = refuse(before, options)
    if (refusal) return { file: refusal, settled: null }
    const bytes = await readAtMost(handle, options.maxBytes)
    if (bytes === null) return { file: absent('too large', Number(before.size)), settled: null }
    if (!isUtf8(bytes) || bytes.includes(0)) return { file: absent('unreadable', bytes.length), settled: null }
    const after = await handle.stat({ bigint: true })
    const file = { text: bytes.toString('utf8'), absence: null, bytes: bytes.length }
    return {
      file,
      settled:
        stampOf(before) === stampOf(after) && isSettled(after, options.now?.() ?? Date.now()) ? stampOf(after) : null,
    }
  } finally {
    await handle.close()
  }
}

/** null = the file is longer: it may have grown since its size was checked. */
async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = []
  for (let length = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(65_536), 0, 65_536, length)
    if (bytesRead === 0) return Buffer.concat(parts, length)
    parts.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) return null
  }
}

function refuse(stats: BigIntStats, options: PlainFilesOptions): PlainFile | null {
  if (stats.isSymbolicLink()) return absent('escapes')
  if (!stats.isFile()) return absent('unreadable')
  if (stats.nlink > 1n && !options.mayBeHardLinked) return absent('escapes')
  return stats.size > BigInt(options.maxBytes) ? absent('too large', Number(stats.size)) : null
}

function absent(absence: Absence, bytes: number | null = null): PlainFile {
  return { text: null, absence, bytes }
}

function absenceOf(error: NodeJS.ErrnoException): Absence {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 'missing'
  return error.code === 'ELOOP' ? 'escapes' : 'unreadable'
}

function stampOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, stats.nlink].join(':')
}

function isSettled(stats: BigIntStats, now: number): boolean {
  const newest = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs
  return BigInt(Math.floor(now)) * 1_000_000n - newest > SETTLING_NANOSECONDS
}
