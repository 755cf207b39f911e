import { request } from 'node:http'

/** One try: where, how, and with which credential. */
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

/** A process of its own, as an agent's would be: it gets the address and the tries, and tells what came back. */
if (import.meta.main) {
  process.once('message', async ({ url, tries }: { url: string; tries: HostileTry[] }) => {
    const results: HostileResult[] = []
    for (const one of tries) results.push(await send(url, one))
    process.send!(results, undefined, {}, () => process.disconnect())
  })
}

/** The path goes out as it is; `fetch` would tidy it up. */
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
