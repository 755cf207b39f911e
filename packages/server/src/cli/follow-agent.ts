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
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` }, signal })
  if (!response.ok || !response.body)
    throw new ClawbooError('server_not_running', `the server refused the stream (${response.status})`)
  return runEvents(response.body)
}

async function* runEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<RuntimeEvent> {
  let pending = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    pending += chunk
    const frames = pending.split('\n\n')
    pending = frames.pop()!
    for (const frame of frames) {
      if (!frame.startsWith('event: run-event\n')) continue
      yield JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)) as RuntimeEvent
    }
  }
}
