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
    const response = await baseFetch(url, { ...init, redirect: 'error' })
    const isEvents = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    if (!response.ok || response.body === null || !isEvents) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(endAtLastEvent()), { status, statusText, headers })
  }
}

/** An event is never longer than a vendor's whole answer; what is longer without a blank line is no event stream. */
const LONGEST_EVENT = 64 * 1024 * 1024

function endAtLastEvent(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let tail = ''
  return new TransformStream({
    transform(chunk, out) {
      out.enqueue(chunk)
      tail += decoder.decode(chunk, { stream: true })
      const end = Math.max(tail.lastIndexOf('\n\n'), tail.lastIndexOf('\n\r\n'))
      if (end < 0) {
        if (tail.length > LONGEST_EVENT) tail = ''
        return
      }
      if (LAST_EVENT.test(tail.slice(0, end))) out.terminate()
      else tail = tail.slice(end)
    },
  })
}
