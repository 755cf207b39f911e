/** One request as received. Times are milliseconds since the epoch. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed; the text itself when it is not JSON; undefined when there is none. */
  readonly body: unknown
  readonly receivedAt: number
  /** When the whole response was sent. */
  endedAt: number | null
  /** When the client closed the connection before that. */
  clientClosedAt: number | null
}

export interface RequestLimits {
  readonly requests: number
  readonly bytes: number
}

export interface RequestLog {
  readonly requests: readonly RecordedRequest[]
  add(request: Pick<RecordedRequest, 'method' | 'path' | 'headers' | 'body'>, bytes: number): RecordedRequest
}

/** Keeps the newest requests within both limits and drops the oldest first. */
export function createRequestLog(limits: RequestLimits): RequestLog {
  const requests: RecordedRequest[] = []
  const sizes: number[] = []
  let total = 0
  return {
    requests,
    add(request, bytes) {
      const record = { ...request, receivedAt: Date.now(), endedAt: null, clientClosedAt: null }
      requests.push(record)
      sizes.push(bytes)
      total += bytes
      while (requests.length > limits.requests || (total > limits.bytes && requests.length > 1)) {
        requests.shift()
        total -= sizes.shift()!
      }
      return record
    },
  }
}
