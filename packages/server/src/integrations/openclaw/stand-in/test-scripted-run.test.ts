import { expect, test } from 'vitest'
import { openConnection, openGateway } from '../gateway/test-connection.ts'
import { findRecording, type Json, newestVersion, type RecordedFrame } from './test-recordings.ts'
import { HOLD_COMMAND } from './test-scripted-tools.ts'

/**
 * Recordings in which a tool or an approval pauses the run whenever a client acts: only these can be replayed exactly.
 */
const RECORDED = [
  'turn-plain',
  'turn-tool',
  'turn-two-tools',
  'turn-subscribed',
  'turn-error-400',
  'abort-in-tool',
  'steer-in-tool',
  'steer-in-answer',
  'steer-twice-in-tool',
  'steer-withdrawn',
  'steer-abort-session',
  'steer-abort-chat-run',
  'followup',
  'approval-allowed',
  'approval-denied',
  'approval-aborted',
]
/** The requests that the stand-in needs to play a recording. */
const SENT = [
  'sessions.messages.subscribe',
  'sessions.patch',
  'chat.send',
  'chat.abort',
  'sessions.abort',
  'exec.approval.resolve',
]

/** Names the frames of a session's runs in a way that is the same for a recording and its replay. */
class FrameNames {
  readonly #runs: string[] = []
  readonly #rows = new Set<string>()

  /** The run of the next prompt. */
  add(runId: string): void {
    this.#runs.push(runId)
  }

  of(event: string, payload: Json): readonly string[] {
    const run = this.#nameOf(String(payload.runId))
    const { phase, model, isError } = (payload.data ?? {}) as Json
    if (event === 'chat') return this.#ofChat(payload, run)
    if (event === 'session.message') return this.#ofRow(payload.message as Json)
    if (event.startsWith('exec.approval.')) return [event]
    if (event !== 'agent') return []
    if (payload.stream === 'tool' && phase !== 'update') return [`tool ${phase} ${run}${isError ? ' (error)' : ''}`]
    if (payload.stream !== 'lifecycle') return []
    return phase === 'start' || phase === 'finishing' || (phase === 'model' && model) ? [`${phase} ${run}`] : []
  }

  #ofChat({ state, message }: Json, run: string): readonly string[] {
    if (!['final', 'aborted', 'error'].includes(String(state))) return []
    return [`${state} ${run}${state === 'final' && message === undefined ? ' (empty)' : ''}`]
  }

  /** Skips repeated rows, because a Gateway sends some rows twice. */
  #ofRow({ role, idempotencyKey }: Json): readonly string[] {
    const key = String(idempotencyKey)
    if (role !== 'user' || this.#rows.has(key)) return []
    this.#rows.add(key)
    return [`row ${this.#nameOf(key.replace(/:user$/, ''))}`]
  }

  #nameOf(runId: string): string {
    const at = this.#runs.indexOf(runId)
    return at < 0 ? 'of another id' : `of prompt ${at + 1}`
  }
}

/** The name of a frame, or a request. */
type RecordedStep = string | { readonly method: string; readonly params: Json }

function stepsOf(frames: readonly RecordedFrame[]): readonly RecordedStep[] {
  const names = new FrameNames()
  return frames.flatMap(({ from, frame }): readonly RecordedStep[] => {
    if (from === 'gateway') return frame.type === 'event' ? names.of(String(frame.event), frame.payload as Json) : []
    const [method, params] = [String(frame.method), frame.params as Json]
    if (!SENT.includes(method)) return []
    if (method === 'chat.send') names.add(String(params.idempotencyKey))
    return [{ method, params }]
  })
}

test.each(RECORDED)(
  '[OC70] a scripted run of the stand-in sends the same frames as the recording: %s',
  async (name) => {
    const gateway = await openGateway()
    const { connection } = await openConnection(gateway)
    const names = new FrameNames()
    const seen: string[] = []
    let approvalId = ''
    connection.onFrame(({ event, payload }) => {
      if (event === 'exec.approval.requested') approvalId = String((payload as Json).id)
      seen.push(...names.of(event, payload as Json))
    })
    const expected: string[] = []
    for (const step of stepsOf(findRecording(newestVersion(), name)!.frames)) {
      if (typeof step === 'string') {
        // The recorded client released the held command here.
        if (step.startsWith('tool result')) gateway.sessions.scripted.tools.release()
        expected.push(step)
        continue
      }
      await expect.poll(() => seen.length, { interval: 1 }).toBeGreaterThanOrEqual(expected.length)
      const { method, params } = step
      if (method === 'chat.send') names.add(String(params.idempotencyKey))
      await connection
        .call(method, {
          ...params,
          ...(params.message ? { message: replayed(String(params.message)) } : {}),
          ...(method === 'exec.approval.resolve' ? { id: approvalId } : {}),
        })
        // The recorded Gateway refused some requests too.
        .catch(() => null)
    }
    await expect.poll(() => seen).toEqual(expected)
  },
)

/** The held command of a recording is a shell loop, and its slow answer takes six seconds. */
function replayed(message: string): string {
  return message.replace(/"while .*?released"/, `"${HOLD_COMMAND}"`).replace('"everyMs":600', '"everyMs":100')
}
