import { StringDecoder } from 'node:string_decoder'

export const OUTPUT_MAX_CHARS = 200_000
export const PENDING_MAX_CHARS = 30_000

const MAX_PIECES = 1000

/** Keeps the last `max` characters of an endless text, and needs at most twice as much memory. */
export function createTailBuffer(max: number) {
  let pieces: string[] = []
  let size = 0
  let droppedBefore = 0
  /** Drops whole pieces as they arrive, so that endless output is neither joined nor copied. */
  const drop = () => {
    while (pieces.length > 0 && size - pieces[0]!.length >= max) {
      const { length } = pieces.shift()!
      size -= length
      droppedBefore += length
    }
  }
  const keptFrom = (joined: string) => {
    const start = Math.max(0, joined.length - max)
    // The cut must not split a character.
    return isLowSurrogate(joined.charCodeAt(start)) ? start + 1 : start
  }
  return {
    push(text: string): void {
      pieces.push(text)
      size += text.length
      drop()
      if (pieces.length > MAX_PIECES) pieces = [pieces.join('')]
    },
    text(): string {
      const joined = pieces.join('')
      return joined.slice(keptFrom(joined))
    },
    /** The number of characters before the kept ones. */
    dropped: (): number => droppedBefore + keptFrom(pieces.join('')),
    clear(): void {
      pieces = []
      size = 0
      droppedBefore = 0
    },
  }
}

export type CommandOutput = ReturnType<typeof createCommandOutput>

/** The output of a command: its last part, and for each stream the part that was not polled yet. */
export function createCommandOutput() {
  const all = createTailBuffer(OUTPUT_MAX_CHARS)
  const streams = {
    stdout: { decoder: new StringDecoder('utf8'), pending: createTailBuffer(PENDING_MAX_CHARS) },
    stderr: { decoder: new StringDecoder('utf8'), pending: createTailBuffer(PENDING_MAX_CHARS) },
  }
  const add = (stream: 'stdout' | 'stderr', decoded: string) => {
    // Neither the database nor a model accepts a NUL.
    const text = decoded.replaceAll('\0', '\ufffd')
    if (text === '') return
    all.push(text)
    streams[stream].pending.push(text)
  }
  return {
    push: (stream: 'stdout' | 'stderr', chunk: Buffer): void => add(stream, streams[stream].decoder.write(chunk)),
    /** Ends the output. An incomplete character becomes a replacement character. */
    end(): void {
      add('stdout', streams.stdout.decoder.end())
      add('stderr', streams.stderr.decoder.end())
    },
    text: all.text,
    dropped: all.dropped,
    /** The output since the last call, of which `lost` characters were dropped. */
    takePending() {
      const { stdout, stderr } = streams
      const taken = { stdout: stdout.pending.text(), stderr: stderr.pending.text() }
      const lost = stdout.pending.dropped() + stderr.pending.dropped()
      stdout.pending.clear()
      stderr.pending.clear()
      return { ...taken, lost }
    },
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
