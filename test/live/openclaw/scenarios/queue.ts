import type { JsonObject } from '../gateway-config.ts'
import { pause, type Scenario, type Stage } from './stage.ts'

const STEER = [[{ say: 'Steered answer.' }]]

/** Records a second prompt during the first one's tool, then the effects of `act` until no more frames arrive. */
function inTool(act: (stage: Stage, first: string, second: string) => Promise<void>, more: JsonObject = {}): Scenario {
  return async (stage) => {
    const { attempt, key, send, hold, streamed, release, quiet, history } = stage
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const first = await send([[{ say: 'I hold.' }, hold], [{ say: 'After the tool.' }]])
    await streamed(first, 'tool', 'start')
    const second = await send(STEER, more)
    await pause(2000)
    await history()
    await act(stage, first, second)
    await quiet()
    await release()
    await quiet()
    await history()
  }
}

/** The same, with an abort as `act`. */
const abortedInTool = (
  method: string,
  params: (key: string, first: string, second: string) => JsonObject,
  more?: JsonObject,
) => inTool(async ({ attempt, key }, first, second) => void (await attempt(method, params(key, first, second))), more)

async function endFirst({ release, ended }: Stage, first: string): Promise<void> {
  await release()
  await ended(first)
}

/** Prompts for a session that is busy. */
export const queueScenarios: Readonly<Record<string, Scenario>> = {
  'steer-in-tool': inTool(endFirst),

  async 'steer-in-answer'({ attempt, key, send, streamed, ended, quiet, history }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const first = await send([[{ drip: { text: 'one two three four five six seven eight nine ten', everyMs: 600 } }]])
    await streamed(first, 'assistant')
    await send(STEER)
    await ended(first)
    await quiet()
    await history()
  },

  async 'steer-twice-in-tool'({ attempt, key, send, hold, streamed, release, ended, quiet, history }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const first = await send([[hold], [{ say: 'After the tool.' }]])
    await streamed(first, 'tool', 'start')
    await send([[{ say: 'First steered answer.' }]])
    await send([[{ say: 'Second steered answer.' }]])
    await pause(2000)
    await release()
    await ended(first)
    await quiet()
    await history()
  },

  /** The second prompt comes too late to steer. It is stored in the conversation and aborted before its run begins. */
  async 'steer-late-aborted'({ client, attempt, key, send, streamed, quiet, history }) {
    await attempt('sessions.create', { key, agentId: 'main' })
    await attempt('sessions.messages.subscribe', { key })
    const first = await send([[{ say: 'The whole answer.' }]])
    await streamed(first, 'lifecycle', 'finishing')
    const second = await send(STEER)
    await client.until(({ event, payload }) => {
      const { idempotencyKey } = ((payload as JsonObject | undefined)?.message ?? {}) as JsonObject
      return event === 'session.message' && idempotencyKey === `${second}:user`
    })
    await attempt('chat.abort', { sessionKey: key, runId: second })
    await quiet()
    await history()
  },

  'steer-abort-session': abortedInTool('sessions.abort', (key) => ({ key })),
  'steer-abort-session-clear': abortedInTool('sessions.abort', (key) => ({ key, clearQueued: true })),
  'steer-abort-session-run': abortedInTool('sessions.abort', (key, runId) => ({ key, runId })),
  'steer-abort-chat': abortedInTool('chat.abort', (sessionKey) => ({ sessionKey })),
  'steer-abort-chat-run': abortedInTool('chat.abort', (sessionKey, runId) => ({ sessionKey, runId })),
  'steer-withdrawn': abortedInTool('chat.abort', (sessionKey, _, runId) => ({ sessionKey, runId })),

  followup: inTool(endFirst, { queueMode: 'followup' }),
  collect: inTool(endFirst, { queueMode: 'collect' }),
  'followup-abort-chat': abortedInTool('chat.abort', (sessionKey) => ({ sessionKey }), { queueMode: 'followup' }),
  'followup-abort-session': abortedInTool('sessions.abort', (key) => ({ key }), { queueMode: 'followup' }),
  'followup-withdrawn': abortedInTool('chat.abort', (sessionKey, _, runId) => ({ sessionKey, runId }), {
    queueMode: 'followup',
  }),
  interrupt: inTool(async ({ ended }, _, second) => void (await ended(second)), { queueMode: 'interrupt' }),
}
