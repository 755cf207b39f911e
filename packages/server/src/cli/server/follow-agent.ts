import { ROUTES } from '@clawboo/api/routes'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeEvent } from '@clawboo/core/executor'

/** Reads an agent's event stream. Resolves once the response has started, so later events cannot be missed. */
export async function followAgent(
  server: { readonly url: string; readonly token: string },
  agentId: string,
  signal: AbortSignal,
): Promise<AsyncIterable<RuntimeEvent>> {
  const path = ROUTES.followAgent.path.replace('{agentId}', encodeURIComponent(agentId))
  const headers = { authorization: `Bearer ${server.token}` }
  const response = await fetch(server.url + path, { headers, signal }).catch((cause: unknown) => {
    throw wentAway(cause)
  })
  if (!response.ok)
    throw new ClawbooError('server_not_running', `the server refused the event stream (status ${response.status})`)
  return runEvents(response)
}

export function wentAway(cause?: unknown): ClawbooError {
  return new ClawbooError('server_not_running', 'the server stopped before the Boo finished', { cause })
}

/** Keeps a reference to the response: a body that nobody reads yet is closed when its response is garbage-collected. */
async function* runEvents(response: Response): AsyncGenerator<RuntimeEvent> {
  let pending = ''
  for await (const text of textOf(response)) {
    pending += text
    const frames = pending.split('\n\n')
    pending = frames.pop()!
    for (const frame of frames) {
      if (!frame.startsWith('event: run-event\n')) continue
      yield JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)) as RuntimeEvent
    }
  }
}

/** Only an error while reading means that the server is gone. */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  try {
    if (body) yield* body.pipeThrough(new TextDecoderStream())
  } catch (cause) {
    throw wentAway(cause)
  }
}
