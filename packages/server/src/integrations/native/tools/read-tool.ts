import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { defineTool, failure, success } from './define-tool.ts'
import type { WorkspaceFiles } from './files/workspace-files.ts'
import type { Tool, ToolResult } from './tool.ts'

/** The largest image that model APIs accept. */
const IMAGE_MAX_BYTES = 3.75 * 1024 * 1024

export function createReadTool(files: WorkspaceFiles, options: { readonly maxBytes?: number } = {}): Tool {
  const maxBytes = Math.min(READ_MAX_BYTES, options.maxBytes ?? READ_MAX_BYTES)
  return defineTool({
    name: 'read',
    description: `Reads a text file, at most ${READ_MAX_LINES} lines or ${READ_MAX_BYTES / 1024} KiB at a time, or shows an image (jpg, png, gif, webp). Use offset to continue in a long file.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'File to read, relative to the workspace.' },
        offset: { type: 'integer', minimum: 1, description: 'First line to read, counted from 1.' },
        limit: { type: 'integer', minimum: 1, description: 'The most lines to read.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async run(input, context) {
      const path = input.path as string
      const handle = await files.open(path)
      if (handle === null) return failure(`There is no file "${path}".`)
      try {
        const image = await readImage(handle, path)
        if (image !== null) return image
        const offset = (input.offset as number | null | undefined) ?? 1
        const maxLines = Math.min(READ_MAX_LINES, (input.limit as number | null | undefined) ?? READ_MAX_LINES)
        const window = await readWindow(handle, { offset, maxLines, maxBytes, signal: context.signal })
        if ('totalLines' in window)
          return failure(`offset ${offset} is past the end: "${path}" has ${window.totalLines} lines.`)
        return asText(window, path, offset)
      } catch (error) {
        if (context.signal.aborted) return failure('Stopped.')
        throw error
      } finally {
        await handle.close()
      }
    },
  })
}

function asText(window: ReadWindow, path: string, offset: number): ToolResult {
  if (window.bytes.includes(0) || !isUtf8(window.bytes)) {
    return failure(`"${path}" is not UTF-8 text and not a jpg, png, gif or webp image, so it cannot be shown.`)
  }
  const last = offset + window.lines - 1
  const details = { path, firstLine: offset, lastLine: last, nextOffset: window.atEnd ? null : last + 1 }
  if (window.bytes.length === 0) return success('[The file is empty.]', { ...details, lastLine: 0 })
  const text = window.bytes.toString('utf8')
  if (window.atEnd) return success(text, details)
  const gap = text.endsWith('\n') ? '\n' : '\n\n'
  const shown = window.lineCut
    ? `[Line ${offset} is too long to show; these are its first ${window.bytes.length} bytes.`
    : `[Lines ${offset}-${last} are shown; the file continues.`
  return success(`${text}${gap}${shown} Continue with offset=${last + 1}.]`, details)
}

async function readImage(handle: FileHandle, path: string): Promise<ToolResult | null> {
  const head = Buffer.alloc(12)
  const { bytesRead } = await handle.read(head, 0, head.length, 0)
  const mimeType = imageType(head.subarray(0, bytesRead))
  if (mimeType === null) return null
  const { size } = await handle.stat()
  if (size > IMAGE_MAX_BYTES)
    return failure(`"${path}" is an image of ${size} bytes; at most ${IMAGE_MAX_BYTES} can be shown.`)
  const bytes = Buffer.alloc(size)
  const read = await handle.read(bytes, 0, size, 0)
  const data = bytes.subarray(0, read.bytesRead).toString('base64')
  return {
    content: [
      { type: 'text', text: `Image "${path}" (${mimeType}).` },
      { type: 'image', mimeType, data },
    ],
    isError: false,
    details: { path, mimeType, bytes: read.bytesRead },
  }
}

/** Detects the type by the first bytes, because the file name can be wrong. */
function imageType(head: Buffer): string | null {
  const starts = (text: string, at = 0) => head.subarray(at, at + text.length).toString('latin1') === text
  if (starts('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (starts('\xff\xd8\xff')) return 'image/jpeg'
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif'
  return starts('RIFF') && starts('WEBP', 8) ? 'image/webp' : null
}

const READ_MAX_LINES = 2000
const READ_MAX_BYTES = 50 * 1024

/** Consecutive complete lines of a file. A first line longer than the limit is cut. */
interface ReadWindow {
  readonly bytes: Buffer
  readonly lines: number
  /** The file ends after these lines. */
  readonly atEnd: boolean
  /** The only line is incomplete. */
  readonly lineCut: boolean
}

/** Reads from line `offset` on, counted from 1. Returns the number of lines if the file has fewer. */
async function readWindow(
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
