import { get, type IncomingMessage } from 'node:http'

/** An open stream that counts the occurrences of a text. */
export interface MarkedReader {
  readonly response: IncomingMessage
  seen: number
  onSeen(): void
}

export function openReaders(
  count: number,
  url: string,
  headers: Record<string, string>,
  marker: string,
): Promise<MarkedReader[]> {
  const openOne = () =>
    new Promise<MarkedReader>((resolve, reject) => {
      get(url, { headers, agent: false }, (response) => {
        const reader: MarkedReader = { response, seen: 0, onSeen: () => {} }
        let tail = Buffer.alloc(0)
        response.on('error', () => {})
        response.on('data', (chunk: Buffer) => {
          const bytes = Buffer.concat([tail, chunk])
          for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + 1)) {
            reader.seen++
            reader.onSeen()
          }
          // A marker may be split between two chunks.
          tail = bytes.subarray(Math.max(0, bytes.length - marker.length + 1))
        })
        resolve(reader)
      }).on('error', reject)
    })
  return Promise.all(Array.from({ length: count }, openOne))
}

/** A program that answers a POST by writing one frame to every open GET, and does nothing else. */
export const bareFanout = (event: string): string => `
  import { createServer } from 'node:http'
  const frame = Buffer.from('id: 1\\n${event}\\ndata: ' + 'x'.repeat(Number(process.argv.at(-1))) + '\\n\\n')
  const readers = new Set()
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      return void readers.add(response)
    }
    request.resume().on('end', () => {
      for (const reader of readers) reader.write(frame)
      response.writeHead(200).end('{}')
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
