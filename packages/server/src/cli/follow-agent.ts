import { ROUTES } from '@clawboo/api/routes'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeEvent } from '@clawboo/core/executor'

/** Reads an agent's stream. The answer's head has come when this resolves: from there on nothing is missed. */
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
  if (!response.ok) throw new ClawbooError('server_not_running', `the server refused the stream (${response.status})`)
  return runEvents(response)
}

export function wentAway(cause?: unknown): ClawbooError {
  return new ClawbooError('server_not_running', 'the server went away before the Boo was done', { cause })
}

/** Holds the whole response: a body that nobody has begun to read ends when its response is collected as garbage. */
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

/** Only what reading throws means that the server is away. */
async function* textOf({ body }: Response): AsyncGenerator<string> {
  try {
    if (body) yield* body.pipeThrough(new TextDecoderStream())
  } catch (cause) {
    throw wentAway(cause)
  }
}
