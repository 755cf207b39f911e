import { StringDecoder } from 'node:string_decoder'

export const OUTPUT_MAX_CHARS = 200_000
export const PENDING_MAX_CHARS = 30_000

/** The end of a text that may be without end: holds at most twice `max` while it grows and gives at most `max`. */
export interface TailBuffer {
  push(text: string): void
  text(): string
  /** How many characters came before those that are held. */
  dropped(): number
  clear(): void
}

export function createTailBuffer(max: number): TailBuffer {
  let pieces: string[] = []
  let held = 0
  let dropped = 0
  const settle = () => {
    const joined = pieces.join('')
    // Half of a character at the cut is no text.
    let start = Math.max(0, joined.length - max)
    if (isLowSurrogate(joined.charCodeAt(start))) start++
    const kept = joined.slice(start)
    dropped += joined.length - kept.length
    // Joined from pieces so that the small rest does not hold the large text it was cut from.
    pieces = start > 0 ? [Buffer.from(kept, 'utf16le').toString('utf16le')] : [kept]
    held = kept.length
    return kept
  }
  return {
    push(text) {
      pieces.push(text)
      held += text.length
      if (held > max * 2 || pieces.length > 1000) settle()
    },
    text: settle,
    dropped() {
      settle()
      return dropped
    },
    clear() {
      pieces = []
      held = 0
      dropped = 0
    },
  }
}

/** What a command printed: all of it up to a limit, and per stream what nobody polled yet. */
export interface CommandOutput {
  push(stream: 'stdout' | 'stderr', chunk: Buffer): void
  /** No more comes: what a stream ended with in the middle of a character shows as one that is broken. */
  end(): void
  text(): string
  dropped(): number
  /** What came since the last call; `lost` characters of it are not held any more. */
  takePending(): { readonly stdout: string; readonly stderr: string; readonly lost: number }
  clear(): void
}

export function createCommandOutput(): CommandOutput {
  const all = createTailBuffer(OUTPUT_MAX_CHARS)
  const streams = {
    stdout: { decoder: new StringDecoder('utf8'), pending: createTailBuffer(PENDING_MAX_CHARS) },
    stderr: { decoder: new StringDecoder('utf8'), pending: createTailBuffer(PENDING_MAX_CHARS) },
  }
  const add = (stream: 'stdout' | 'stderr', decoded: string) => {
    // No store and no model takes a NUL.
    const text = decoded.replaceAll('\0', '\ufffd')
    if (text === '') return
    all.push(text)
    streams[stream].pending.push(text)
  }
  return {
    push: (stream, chunk) => add(stream, streams[stream].decoder.write(chunk)),
    end() {
      add('stdout', streams.stdout.decoder.end())
      add('stderr', streams.stderr.decoder.end())
    },
    text: all.text,
    dropped: all.dropped,
    takePending() {
      const { stdout, stderr } = streams
      const taken = { stdout: stdout.pending.text(), stderr: stderr.pending.text() }
      const lost = stdout.pending.dropped() + stderr.pending.dropped()
      stdout.pending.clear()
      stderr.pending.clear()
      return { ...taken, lost }
    },
    clear() {
      all.clear()
      streams.stdout.pending.clear()
      streams.stderr.pending.clear()
    },
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
