import type { FileHandle } from 'node:fs/promises'

/** A longer line counts as damage and is never kept in memory. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

const CHUNK_BYTES = 256 * 1024
const NEWLINE = 0x0a

export interface TranscriptLine {
  /** Its position in the file. */
  readonly at: number
  /** null = too long. */
  readonly bytes: Buffer | null
}

/** Yields the complete lines before `end`, newest first, one chunk of the file at a time. `end` follows a newline. */
export async function* linesBackwards(file: FileHandle, end: number): AsyncGenerator<readonly TranscriptLine[]> {
  let at = end
  let held: Buffer[] = []
  let heldBytes = 0
  let tooLong = false
  const hold = (piece: Buffer) => {
    heldBytes += piece.length
    if (heldBytes > MAX_LINE_BYTES) {
      tooLong = true
      held = []
    } else if (!tooLong) held.push(piece)
  }
  const release = (): Buffer | null => {
    const bytes = tooLong ? null : held.length === 1 ? held[0]! : Buffer.concat(held.reverse())
    held = []
    heldBytes = 0
    tooLong = false
    return bytes
  }
  while (at > 0) {
    const from = Math.max(0, at - CHUNK_BYTES)
    const chunk = await readAt(file, from, at - from)
    const lines: TranscriptLine[] = []
    let behind = chunk.length
    // The newline just before `end` ends the newest line; no other line follows it.
    if (at === end && chunk[behind - 1] === NEWLINE) behind--
    for (;;) {
      const newline = behind === 0 ? -1 : chunk.lastIndexOf(NEWLINE, behind - 1)
      hold(chunk.subarray(newline + 1, behind))
      if (newline === -1) break
      lines.push({ at: from + newline + 1, bytes: release() })
      behind = newline
    }
    if (from === 0) lines.push({ at: 0, bytes: release() })
    yield lines
    at = from
  }
}

/** Reads every complete line from the start. A line that is too long is passed on in pieces. */
export async function eachLine(
  file: FileHandle,
  end: number,
  onLine: (line: Buffer) => Promise<void>,
  onTooLong: { piece(bytes: Buffer): Promise<void>; end(): Promise<void> },
): Promise<void> {
  let held: Buffer[] = []
  let heldBytes = 0
  let tooLong = false
  for (let at = 0; at < end; ) {
    const chunk = await readAt(file, at, Math.min(CHUNK_BYTES, end - at))
    if (chunk.length === 0) return
    at += chunk.length
    let from = 0
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from)
      const piece = chunk.subarray(from, newline === -1 ? chunk.length : newline)
      from = newline === -1 ? chunk.length : newline + 1
      held.push(piece)
      heldBytes += piece.length
      if (heldBytes > MAX_LINE_BYTES) tooLong = true
      if (tooLong) {
        for (const part of held) await onTooLong.piece(part)
        held = []
      }
      if (newline === -1) continue
      if (tooLong) await onTooLong.end()
      else await onLine(held.length === 1 ? held[0]! : Buffer.concat(held))
      held = []
      heldBytes = 0
      tooLong = false
    }
  }
}

/** The position after the last newline; 0 = no newline. */
export async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let at = size; at > 0; ) {
    const from = Math.max(0, at - CHUNK_BYTES)
    const newline = (await readAt(file, from, at - from)).lastIndexOf(NEWLINE)
    if (newline !== -1) return from + newline + 1
    at = from
  }
  return 0
}

export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
