import type { FileHandle } from 'node:fs/promises'

export const READ_MAX_LINES = 2000
export const READ_MAX_BYTES = 50 * 1024

/** Consecutive complete lines of a file. A first line longer than the limit is cut. */
export interface ReadWindow {
  readonly bytes: Buffer
  readonly lines: number
  /** The file ends after these lines. */
  readonly atEnd: boolean
  /** The only line is incomplete. */
  readonly lineCut: boolean
}

/** Reads from line `offset` on, counted from 1. Returns the number of lines if the file has fewer. */
export async function readWindow(
  handle: FileHandle,
  options: { offset: number; maxLines: number; maxBytes: number; signal?: AbortSignal },
): Promise<ReadWindow | { readonly totalLines: number }> {
  const { size } = await handle.stat()
  const start = await startOfLine(handle, options.offset, size, options.signal)
  if (typeof start !== 'number') return start
  const bytes = Buffer.alloc(Math.min(options.maxBytes, size - start))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return cutWindow(bytes.subarray(0, filled), options.maxLines, start + filled >= size)
}

async function startOfLine(handle: FileHandle, line: number, size: number, signal?: AbortSignal) {
  const chunk = Buffer.alloc(64 * 1024)
  let position = 0
  let at = 1
  let last = 10
  while (at < line) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) break
    const seen = chunk.subarray(0, bytesRead)
    last = seen[bytesRead - 1]!
    let newline = seen.indexOf(10)
    while (newline !== -1 && ++at < line) newline = seen.indexOf(10, newline + 1)
    if (at === line) {
      const start = position + newline + 1
      return start < size ? start : { totalLines: line - 1 }
    }
    position += bytesRead
  }
  return at === line ? position : { totalLines: size === 0 ? 0 : last === 10 ? at - 1 : at }
}

function cutWindow(bytes: Buffer, maxLines: number, reachedEnd: boolean): ReadWindow {
  let lines = 0
  let end = 0
  while (lines < maxLines && end < bytes.length) {
    const newline = bytes.indexOf(10, end)
    if (newline === -1) break
    lines++
    end = newline + 1
  }
  const rest = end < bytes.length
  if (!rest) return { bytes, lines, atEnd: reachedEnd, lineCut: false }
  if (lines === maxLines) return { bytes: bytes.subarray(0, end), lines, atEnd: false, lineCut: false }
  if (reachedEnd) return { bytes, lines: lines + 1, atEnd: true, lineCut: false }
  if (lines > 0) return { bytes: bytes.subarray(0, end), lines, atEnd: false, lineCut: false }
  return { bytes: bytes.subarray(0, wholeCharacters(bytes)), lines: 1, atEnd: false, lineCut: true }
}

/** The length without an incomplete UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length - 1
  while (start > 0 && (bytes[start]! & 0xc0) === 0x80) start--
  const lead = bytes[start]!
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  return start + length <= bytes.length ? bytes.length : start
}
