import type { IncomingMessage } from 'node:http'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 2_000

/**
 * Reads and discards the rest of a refused request. Closing a connection with unread bytes resets it, and the client
 * would never see the refusal. Bounded, because the sender may be hostile.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let left = MAX_BYTES
    const finish = () => {
      clearTimeout(timer)
      request.off('data', drop).off('end', finish).off('close', finish)
      resolve()
    }
    const drop = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) finish()
    }
    const timer = setTimeout(finish, MAX_MS)
    request.on('data', drop).on('end', finish).on('close', finish).resume()
  })
}
