import { type ClientRequest, get, type IncomingMessage } from 'node:http'

export interface FeedFrame {
  readonly id: number
  readonly event: string
  readonly data: { readonly type?: string; readonly [key: string]: unknown }
}

/** Reads an event feed as a browser does: frame by frame, with the last id. */
export interface FeedReader {
  readonly frames: readonly FeedFrame[]
  readonly status: number
  /** Resolves when a frame matches; rejects when the feed ends first. */
  waitFor(fits: (frame: FeedFrame) => boolean): Promise<FeedFrame>
  /** Resolves when the server ends the feed. */
  readonly ended: Promise<void>
  /** Stops reading, like a reader that hangs. */
  pause(): void
  close(): void
}

export async function followFeed(
  server: { readonly url: string; readonly token: string },
  after?: number | string,
): Promise<FeedReader> {
  const frames: FeedFrame[] = []
  let wake = () => {}
  let isOver = false
  const headers: Record<string, string> = { authorization: `Bearer ${server.token}` }
  if (after !== undefined) headers['last-event-id'] = String(after)
  let request!: ClientRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request = get(`${server.url}/api/events`, { headers, agent: false }, resolve).on('error', reject)
  })
  let pending = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (pending + chunk).split('\n\n')
    pending = parts.pop()!
    for (const part of parts) if (!part.startsWith(':')) frames.push(parseFrame(part))
    wake()
  })
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      isOver = true
      wake()
      resolve()
    })
    response.on('error', () => {})
  })
  return {
    frames,
    status: response.statusCode!,
    ended,
    async waitFor(fits) {
      for (;;) {
        const found = frames.find(fits)
        if (found) return found
        if (isOver) throw new Error(`the feed ended after ${frames.length} frames`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    pause: () => void response.pause(),
    close: () => request.destroy(),
  }
}

function parseFrame(text: string): FeedFrame {
  const fields = Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  )
  return { id: Number(fields.id), event: fields.event!, data: JSON.parse(fields.data!) }
}
