import { get, type IncomingMessage } from 'node:http'

/** Reads an event stream and records the latency of each delta of the timed model. */
export interface DeltaReader {
  /** Milliseconds, in order of arrival. The caller empties the list. */
  readonly lags: number[]
  /** Resolves when the text arrives after the call; rejects if the run fails first. */
  until(text: string): Promise<void>
  readonly ended: Promise<void>
  close(): void
}

const AT_SIGN = 0x40
const FRAME_END = '\n\n'

/** Searches the raw bytes: a reader that allocates objects would measure its own garbage collection. */
export async function readDeltas(url: string, headers: Record<string, string> = {}): Promise<DeltaReader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  const lags: number[] = []
  let tail: Buffer = Buffer.alloc(0)
  let newest = 0
  let watch: { readonly text: string; found(): void; failed(error: Error): void } | null = null
  response.on('data', (chunk: Buffer) => {
    const at = Number(process.hrtime.bigint())
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    for (const sent of stampsIn(bytes)) {
      // The end of a run repeats the whole answer.
      if (sent > newest) lags.push((at - sent) / 1e6)
      newest = Math.max(newest, sent)
    }
    if (watch && bytes.includes(watch.text)) {
      watch.found()
      watch = null
    } else if (bytes.includes('"fatal":true')) watch?.failed(new Error(`a run failed: ${bytes}`))
    // A frame may be split between two chunks.
    const whole = bytes.lastIndexOf(FRAME_END)
    tail = bytes.subarray(whole === -1 ? 0 : whole + FRAME_END.length)
  })
  const ended = new Promise<void>((resolve) => {
    response.on('close', resolve).on('error', () => {})
  })
  return {
    lags,
    until: (text) =>
      new Promise((found, failed) => {
        watch = { text, found, failed }
      }),
    ended,
    close: () => response.destroy(),
  }
}

/** The times in `@1234@`, in nanoseconds. */
function* stampsIn(bytes: Buffer): Generator<number> {
  for (let from = bytes.indexOf(AT_SIGN); from !== -1; from = bytes.indexOf(AT_SIGN, from)) {
    const to = bytes.indexOf(AT_SIGN, from + 1)
    if (to === -1) return
    yield Number(bytes.toString('latin1', from + 1, to))
    from = to + 1
  }
}
