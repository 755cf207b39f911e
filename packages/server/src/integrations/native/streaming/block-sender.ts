import type { After } from './after.ts'
import type { Block } from './block-coalescer.ts'

/** Passes a block on. After `signal` fired nobody waits for it any more. */
export type SendBlock = (block: Block, signal: AbortSignal) => Promise<void>

export interface SendOptions {
  readonly timeoutMs: number
  /** How long to wait before a block that follows another. */
  readonly pauseMs: () => number
}

export interface BlockSender {
  add(block: Block): void
  /** When everything added so far was sent or given up. Never rejects. */
  settled(): Promise<void>
  /** Sends nothing more. */
  stop(): void
}

/**
 * Sends blocks one after the other. When one takes too long or fails, none after it is sent, for a reader would get them
 * out of order.
 */
export function createBlockSender(
  options: SendOptions,
  after: After,
  send: SendBlock,
  onSent: (block: Block) => void,
): BlockSender {
  const stopped = new AbortController()
  let tail = Promise.resolve()
  let count = 0

  const sendNext = async (block: Block) => {
    count += 1
    if (count > 1) await wait(options.pauseMs(), after, stopped.signal)
    if (stopped.signal.aborted) return
    const limit = new AbortController()
    const callOff = after(options.timeoutMs, () => limit.abort())
    const signal = AbortSignal.any([limit.signal, stopped.signal])
    try {
      // A send may ignore its signal; whether it ends then is not waited for.
      if (await Promise.race([send(block, signal).then(() => true), whenAborted(signal)])) onSent(block)
      else stopped.abort()
    } catch {
      // Whoever asked learns of it from what was not delivered.
      stopped.abort()
    } finally {
      callOff()
    }
  }

  return {
    add(block) {
      tail = tail.then(() => (stopped.signal.aborted ? undefined : sendNext(block)))
    },
    settled: () => tail,
    stop: () => stopped.abort(),
  }
}

function wait(ms: number, after: After, signal: AbortSignal): Promise<unknown> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  let callOff = () => {}
  const over = new Promise<void>((resolve) => {
    callOff = after(ms, resolve)
  })
  return Promise.race([over, whenAborted(signal)]).finally(() => callOff())
}

function whenAborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false)
    else signal.addEventListener('abort', () => resolve(false), { once: true })
  })
}
