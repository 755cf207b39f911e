/** The vendors' last events. Anchored to the start of a line, where text that a model writes never stands. */
const LAST_EVENT =
  /^(?:data: ?\[DONE\]|event: ?(?:response\.(?:completed|incomplete|failed)|message_stop)\b|data: ?\{ ?"type": ?"(?:response\.(?:completed|incomplete|failed)|message_stop)")/m

/**
 * A fetch for calls to models. It follows no redirect, because the key would go along to another host, and it ends an
 * event stream at the vendor's last event: some servers leave the connection open after it, and three of the four
 * protocol packages report the end only when the connection closes.
 */
export function wireFetch(baseFetch: typeof fetch): typeof fetch {
  return async (url, init) => {
    const response = await baseFetch(url, { ...init, ...asBytes(init?.body), redirect: 'error' })
    const isEvents = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    if (!response.ok || response.body === null || !isEvents) return response
    const { status, statusText, headers } = response
    return new Response(endAtLastEvent(response.body), { status, statusText, headers })
  }
}

/** `fetch` takes a text apart twice before it sends it; a conversation can be megabytes. */
function asBytes(body: RequestInit['body']): { readonly body?: Uint8Array<ArrayBuffer> } {
  return typeof body === 'string' ? { body: Buffer.from(body) } : {}
}

/** Only the beginning of an event says whether it is the last; a whole answer may stand in it. */
const LONGEST_KEPT = 8192
const BEGINNING = 512

/** No TransformStream: it would hold up every delta for several turns of promises. */
function endAtLastEvent(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  const isLast = watchForLastEvent()
  return new ReadableStream(
    {
      async pull(out) {
        const { done, value } = await reader.read()
        if (done) return out.close()
        out.enqueue(value)
        if (!isLast(value)) return
        out.close()
        await reader.cancel().catch(() => {})
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Whether the vendor's last event has come with this chunk. */
function watchForLastEvent(): (chunk: Uint8Array) => boolean {
  const decoder = new TextDecoder()
  let event = ''
  return (chunk) => {
    event += decoder.decode(chunk, { stream: true })
    const end = Math.max(event.lastIndexOf('\n\n'), event.lastIndexOf('\n\r\n'))
    if (end >= 0) {
      if (LAST_EVENT.test(event.slice(0, end))) return true
      event = event.slice(end)
    }
    // The space keeps the two pieces from looking like the blank line between events.
    if (event.length > LONGEST_KEPT) event = `${event.slice(0, BEGINNING)} ${event.slice(-3)}`
    return false
  }
}
