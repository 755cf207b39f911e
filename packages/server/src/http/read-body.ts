import type { IncomingMessage } from 'node:http'
import { ClawbooError } from '@clawboo/core'

export const MAX_BODY_BYTES = 1024 * 1024
const MAX_DEPTH = 32

/** Reads a JSON body and checks its type, size, encoding and depth. Stops reading at the first violation. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new ClawbooError('body_not_json', 'send the body as application/json')
  if (request.headers['content-encoding'] !== undefined)
    throw new ClawbooError('body_not_json', 'send the body without a content encoding')
  const text = decode(await readBytes(request, maxBytes))
  checkDepth(text)
  const value = parse(text)
  if (/\\u(?:0000|d[89a-f])/i.test(text)) checkText(value)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ClawbooError('body_invalid', 'the body is not valid JSON')
  }
}

/** Not every database can store NUL or half a surrogate pair. Only an escape sequence can introduce them. */
function checkText(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new ClawbooError('body_invalid', 'the body contains a NUL character or half of a surrogate pair')
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      checkText(key)
      checkText(field)
    }
  }
}

/**
 * For operations without a body: refuses a body instead of ignoring it, because a form on another site could send one.
 */
export function refuseBody(request: IncomingMessage): void {
  const length = request.headers['content-length']
  if ((length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined) {
    throw new ClawbooError('body_invalid', 'this operation takes no body')
  }
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new ClawbooError('body_too_large', `the body is larger than ${maxBytes} bytes`, { details: { maxBytes } })
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let hasEnded = false
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= maxBytes) return
      request.removeAllListeners('data')
      chunks.length = 0
      reject(tooLarge())
    })
    request.on('end', () => {
      hasEnded = true
      resolve(Buffer.concat(chunks))
    })
    request.on('error', () => reject(new ClawbooError('body_invalid', 'the body ended early')))
    // Every request closes, so only build the error and its stack when the body is incomplete.
    request.on('close', () => hasEnded || reject(new ClawbooError('body_invalid', 'the body ended early')))
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ClawbooError('body_invalid', 'the body is not valid UTF-8')
  }
}

/** Runs before parsing: a body of a million brackets must not reach recursive code. */
function checkDepth(text: string): void {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (inString) {
      if (character === 0x5c) i++
      else if (character === 0x22) inString = false
    } else if (character === 0x22) inString = true
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > MAX_DEPTH)
        throw new ClawbooError('body_invalid', `the body is nested deeper than ${MAX_DEPTH} levels`)
    } else if (character === 0x7d || character === 0x5d) depth--
  }
}
