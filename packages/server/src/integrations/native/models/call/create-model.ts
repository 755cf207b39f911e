import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderRow } from '../providers/provider-list.ts'

export type ModelFactory = (modelId: string) => LanguageModelV4

export interface ModelFactoryDeps {
  /** null = the provider needs no key, or none is stored. */
  readonly key: string | null
  readonly fetch: typeof fetch
  /** Pause after each word of the demo persona. */
  readonly demoWordDelayMs?: number
}

/**
 * Loads the package for this provider's protocol. Always passes a key and a base URL: a package without one of them reads it
 * from the environment, and could send a key from there to another provider's URL.
 */
export async function createModelFactory(row: ProviderRow, deps: ModelFactoryDeps): Promise<ModelFactory> {
  const options = { baseURL: row.baseUrl, apiKey: deps.key ?? '', fetch: wireFetch(deps.fetch) }
  switch (row.wire) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options)
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).responses
    }
    case 'openai-chat': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).chat
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle(options)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...options, name: row.id, includeUsage: true }).chatModel
    }
    case 'demo': {
      const { createDemoModel } = await import('../demo/demo-model.ts')
      return (modelId) => createDemoModel(modelId, deps.demoWordDelayMs)
    }
    default:
      return row.wire satisfies never
  }
}

/** The last events of the vendors. Anchored to the start of a line, where a model's text never appears. */
const LAST_EVENT =
  /^(?:data: ?\[DONE\]|event: ?(?:response\.(?:completed|incomplete|failed)|message_stop)\b|data: ?\{ ?"type": ?"(?:response\.(?:completed|incomplete|failed)|message_stop)")/m

/**
 * A fetch for model calls. Refuses redirects, which would send the key to another host. Ends an event stream at the vendor's
 * last event: some servers keep the connection open after it, and three of the four protocol packages report the end only
 * when the connection closes.
 */
function wireFetch(baseFetch: typeof fetch): typeof fetch {
  return async (url, init) => {
    const response = await baseFetch(url, { ...init, ...asBytes(init?.body), redirect: 'error' })
    const isEvents = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    if (!response.ok || response.body === null || !isEvents) return response
    const { status, statusText, headers } = response
    return new Response(endAtLastEvent(response.body), { status, statusText, headers })
  }
}

/** `fetch` encodes a string twice before sending, and a conversation can have megabytes. */
function asBytes(body: RequestInit['body']): { readonly body?: Uint8Array<ArrayBuffer> } {
  return typeof body === 'string' ? { body: Buffer.from(body) } : {}
}

/** The beginning of an event shows whether it is the last. The event can contain a whole answer. */
const LONGEST_KEPT = 8192
const BEGINNING = 512

/** No TransformStream, because it delays every delta by several promise callbacks. */
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
        // The answer is complete, so an error while closing the connection does not matter.
        await reader.cancel().catch(() => {})
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Returns whether a chunk completes the vendor's last event. */
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
    // The space keeps the two pieces from forming the blank line between events.
    if (event.length > LONGEST_KEPT) event = `${event.slice(0, BEGINNING)} ${event.slice(-3)}`
    return false
  }
}
