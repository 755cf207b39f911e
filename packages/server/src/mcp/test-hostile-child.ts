import { request } from 'node:http'

/** One attempt: the address, the method and the credential. */
export interface HostileTry {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: unknown
}

export interface HostileResult {
  readonly name: string
  readonly status: number
  readonly body: string
}

/** Runs as a process of its own, like an agent: receives the address and the attempts, and reports the responses. */
if (import.meta.main) {
  process.once('message', async ({ url, tries }: { url: string; tries: HostileTry[] }) => {
    const results: HostileResult[] = []
    for (const one of tries) results.push(await send(url, one))
    process.send!(results, undefined, {}, () => process.disconnect())
  })
}

/** Sends the path unchanged; `fetch` would normalise it. */
function send(url: string, { name, method, path, headers, body }: HostileTry): Promise<HostileResult> {
  const { hostname, port } = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const all = {
    accept: 'application/json, text/event-stream',
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: all }, (answer) => {
      let got = ''
      answer.on('data', (chunk: Buffer) => {
        got += chunk
      })
      answer.on('end', () => resolve({ name, status: answer.statusCode ?? 0, body: got }))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}
