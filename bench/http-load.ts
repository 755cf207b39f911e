import { Agent, request } from 'node:http'

type Headers = Record<string, string>

/** Sends requests over a few kept-alive connections and discards the responses. */
export interface HttpLoad {
  /** Resolves to requests per second. Requests with a body are POSTs; a function gives each request its own headers. */
  rate(url: string, count: number, headers?: Headers | (() => Headers), body?: string): Promise<number>
  /** One request; resolves to its bytes. */
  send(method: string, url: string, headers: Headers, body?: string): Promise<Buffer>
  close(): void
}

export function createHttpLoad(connections: number): HttpLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const exchange = (
    method: string,
    url: string,
    headers: Headers,
    body: string | undefined,
    onData: (chunk: Buffer) => void,
  ) =>
    new Promise<void>((resolve, reject) => {
      const sent = request(url, { method, agent, headers }, (response) => {
        if ((response.statusCode ?? 0) >= 400) reject(new Error(`${method} ${url} answered ${response.statusCode}`))
        response.on('data', onData).on('end', resolve).on('error', reject)
      })
      sent.on('error', reject).end(body)
    })

  return {
    async rate(url, count, headers = {}, body) {
      const [method, next] = [
        body === undefined ? 'GET' : 'POST',
        typeof headers === 'function' ? headers : () => headers,
      ]
      let left = count
      const start = performance.now()
      await Promise.all(
        Array.from({ length: connections }, async () => {
          while (left-- > 0) await exchange(method, url, next(), body, () => {})
        }),
      )
      return count / ((performance.now() - start) / 1000)
    },
    async send(method, url, headers, body) {
      const chunks: Buffer[] = []
      await exchange(method, url, headers, body, (chunk) => chunks.push(chunk))
      return Buffer.concat(chunks)
    },
    close: () => agent.destroy(),
  }
}
