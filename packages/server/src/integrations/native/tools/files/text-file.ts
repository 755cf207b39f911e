import { isUtf8 } from 'node:buffer'
import { ClawbooError } from '@clawboo/core'
import type { WorkspaceFiles } from './workspace-files.ts'

/** The text of a file with plain newlines. `restore` converts back to CRLF if every line of the file ends in CRLF. */
export interface TextFile {
  readonly text: string
  readonly bytes: Buffer
  restore(text: string): string
}

const MAX_TEXT_BYTES = 10 * 1024 * 1024

/** null = no such file. */
export async function readTextFile(files: WorkspaceFiles, path: string): Promise<TextFile | null> {
  const bytes = await readBytes(files, path)
  if (bytes === null) return null
  if (!isUtf8(bytes) || bytes.includes(0)) throw new ClawbooError('file_not_text', `"${path}" is not UTF-8 text`)
  const raw = bytes.toString('utf8')
  const crlf = raw.includes('\r\n') && !/(^|[^\r])\n/.test(raw)
  return crlf
    ? { text: raw.replaceAll('\r\n', '\n'), bytes, restore: (text) => text.replace(/\r?\n/g, '\r\n') }
    : { text: raw, bytes, restore: (text) => text }
}

export async function readBytes(files: WorkspaceFiles, path: string): Promise<Buffer | null> {
  const handle = await files.open(path)
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    if (size > MAX_TEXT_BYTES) {
      throw new ClawbooError('file_too_large', `"${path}" has ${size} bytes; at most ${MAX_TEXT_BYTES} can be edited`)
    }
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
