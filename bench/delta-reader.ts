import { get, type IncomingMessage } from 'node:http'

/** Reads an event stream and notes how long each delta of the timed model was on its way. */
export interface DeltaReader {
  /** Milliseconds, in order of arrival; to be emptied by whoever uses them. */
  readonly lags: number[]
  /** Resolves when a text has come that was not there before the call; rejects when the run fails instead. */
  until(text: string): Promise<void>
  readonly ended: Promise<void>
  close(): void
}

const STAMP = /@(\d+)@/g

export async function readDeltas(url: string, headers: Record<string, string> = {}): Promise<DeltaReader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  const lags: number[] = []
  let tail = ''
  let newest = 0n
  let watch: { readonly text: string; found(): void; failed(error: Error): void } | null = null
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const at = process.hrtime.bigint()
    const text = tail + chunk
    for (const [, stamp] of text.matchAll(STAMP)) {
      const sent = BigInt(stamp!)
      // The whole answer comes again at the end of a run.
      if (sent > newest) lags.push(Number(at - sent) / 1e6)
      newest = sent > newest ? sent : newest
    }
    if (watch && text.includes(watch.text)) {
      watch.found()
      watch = null
    } else if (text.includes('"fatal":true')) watch?.failed(new Error(`a run failed: ${text}`))
    // A frame may be cut between two chunks.
    tail = text.slice(text.lastIndexOf('\n\n') + 1)
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
