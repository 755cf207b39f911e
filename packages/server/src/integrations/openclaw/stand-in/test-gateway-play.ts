import { type Json, type RecordedFrame, type Recording, rowsIn } from './test-recordings.ts'

const BROADCAST_EVENTS = ['agent', 'chat', 'session.message', 'exec.approval.requested', 'exec.approval.resolved']
/** The requests that advance a recording; all others do not affect a run. */
const AWAITED = ['chat.send', 'chat.abort', 'sessions.abort', 'exec.approval.resolve']

export interface PlayHooks {
  broadcast(event: string, payload: Json): void
  /** Stores the rows of the whole run. */
  keep(rows: readonly Json[]): void
  over(runId: string): void
}

type Step = { readonly event: string; readonly payload: Json } | { readonly await: string; readonly params: Json }

/**
 * Replays a recorded run in another session under other ids. Where a client acted in the recording, the replay waits
 * until a client acts here.
 */
export class Play {
  readonly underWay = new Set<string>()
  readonly #steps: Step[]
  readonly #rows: readonly Json[]
  readonly #hooks: PlayHooks
  readonly #renamed: [string, string][]
  readonly #texts = new Map<string, string>()
  #hasKept = false

  constructor(recording: Recording, sessionKey: string, sessionId: string, hooks: PlayHooks) {
    this.#hooks = hooks
    this.#rows = rowsIn(recording)
    this.#steps = withRows(stepsOf(recording.frames), this.#rows)
    const [first] = this.#steps
    const recordedKey = String(first && 'await' in first ? first.params.sessionKey : '')
    this.#renamed = [
      [recordedKey, sessionKey],
      ['"agentId":"main"', `"agentId":"${sessionKey.split(':')[1]}"`],
    ]
    const recordedSession = /"sessionId":"([0-9a-f-]{36}|written-session)"/.exec(JSON.stringify(recording.frames))?.[1]
    if (recordedSession) this.#renamed.push([recordedSession, sessionId])
  }

  /** The method that the replay waits for; null at the end. */
  get waitsFor(): string | null {
    const [next] = this.#steps
    return next && 'await' in next ? next.await : null
  }

  /**
   * Continues after a client's action. The frames follow its answer one by one; with `inHaste` they all come before
   * it.
   */
  advance(params: Json, inHaste = false): void {
    const step = this.#steps.shift()
    if (!step || !('await' in step)) return
    if (step.await === 'chat.send') {
      this.#renamed.push([String(step.params.idempotencyKey), String(params.idempotencyKey)])
      this.#texts.set(`${params.idempotencyKey}:user`, String(params.message))
    }
    if (inHaste) while (this.#broadcastNext());
    else setImmediate(() => this.#broadcastAll())
  }

  #broadcastAll(): void {
    if (this.#broadcastNext()) setImmediate(() => this.#broadcastAll())
  }

  /** Returns false while the replay waits. */
  #broadcastNext(): boolean {
    const [next] = this.#steps
    if (!next || !('event' in next)) return false
    this.#steps.shift()
    this.#broadcast(next.event, this.#renaming(next.payload))
    return true
  }

  /** Ends the replay from outside, with a Gateway's frames in order. */
  abort(runId: string, sessionKey: string): void {
    this.#steps.length = 0
    const at = { runId, sessionKey }
    this.#broadcast('chat', { ...at, state: 'aborted', stopReason: 'rpc' })
    const lifecycle = (data: Json) => this.#broadcast('agent', { ...at, stream: 'lifecycle', data })
    lifecycle({ phase: 'end', aborted: true })
    lifecycle({ phase: 'error', stopReason: 'aborted' })
  }

  #broadcast(event: string, payload: Json): void {
    const runId = String(payload.runId)
    const isOver = event === 'chat' && ['final', 'error', 'aborted'].includes(String(payload.state))
    if (payload.stream === 'lifecycle' && (payload.data as Json).phase === 'start') this.underWay.add(runId)
    if (isOver && this.underWay.delete(runId) && !this.#hasKept) {
      this.#hasKept = true
      this.#hooks.keep(this.#rows.map((row) => this.#renaming(row)))
    }
    if (isOver) this.#hooks.over(runId)
    this.#hooks.broadcast(event, payload)
  }

  #renaming(value: Json): Json {
    const text = this.#renamed.reduce((so, [from, to]) => so.replaceAll(from, to), JSON.stringify(value))
    return this.#withText(JSON.parse(text) as Json)
  }

  #withText(value: Json): Json {
    const message = value.message as Json | undefined
    if (message?.role === 'user') return { ...value, message: this.#withText(message) }
    const text = this.#texts.get(String(value.idempotencyKey))
    return value.role === 'user' && text !== undefined ? { ...value, content: text } : value
  }
}

/**
 * Adds row frames for recordings whose client did not subscribe to rows. The prompt's row comes before its run starts,
 * the model's rows before it ends.
 */
function withRows(steps: Step[], rows: readonly Json[]): Step[] {
  const [first] = steps
  if (!first || !('await' in first) || steps.some((step) => 'event' in step && step.event === 'session.message'))
    return steps
  const { sessionKey } = first.params
  const rowFrame = (row: Json): Step => ({ event: 'session.message', payload: { sessionKey, message: row } })
  const left = rows.filter(({ role }) => role === 'user' || role === 'assistant')
  return steps.flatMap((step) => {
    if (!('event' in step)) return [step]
    const { state, data } = step.payload
    const isStart = (data as Json | undefined)?.phase === 'start' && step.payload.stream === 'lifecycle'
    const isEnd = step.event === 'chat' && ['final', 'error', 'aborted'].includes(String(state))
    if (isEnd) return [...left.splice(0).map(rowFrame), step]
    return isStart && left[0]?.role === 'user' ? [rowFrame(left.shift()!), step] : [step]
  })
}

function stepsOf(frames: readonly RecordedFrame[]): Step[] {
  const keys = new Set<unknown>()
  const steps = frames.flatMap(({ from, frame }): Step[] => {
    // A repeated key does not advance the replay.
    const { idempotencyKey: key } = (frame.params ?? {}) as Json
    if (key !== undefined && keys.has(key)) return []
    if (key !== undefined) keys.add(key)
    if (from === 'client' && AWAITED.includes(String(frame.method)))
      return [{ await: String(frame.method), params: frame.params as Json }]
    if (frame.type !== 'event' || !BROADCAST_EVENTS.includes(String(frame.event))) return []
    return [{ event: String(frame.event), payload: frame.payload as Json }]
  })
  const begin = steps.findIndex((step) => 'await' in step && step.await === 'chat.send')
  return begin < 0 ? [] : steps.slice(begin)
}
