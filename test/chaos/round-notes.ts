import type { DoneEvent, ErrorEvent } from '@clawboo/core/executor'
import type { Message, ToolCallContent } from '../../packages/server/src/integrations/native/session/message.ts'

/** One message as seen from outside. */
export interface NotedMessage {
  readonly id: string
  readonly sessionKey: string
  /** `unknown`: the server died before it answered. */
  answer: 'unknown' | 'accepted' | 'refused'
  /** How often it was sent and refused; a send without a response may have been accepted. */
  sends: number
  refusals: number
  withdrawn: boolean
}

/** Everything seen in one round, over all its processes; the first violation ends the round. */
export class RoundNotes {
  readonly messages = new Map<string, NotedMessage>()
  readonly trace: string[] = []
  readonly #runs = new Map<string, { readonly accepted: string[]; aborted: boolean }>()
  readonly #live = new Map<string, string>()
  failedStarts = 0
  crashes = 0
  #calls = 0
  #problem: string | null = null

  get problem(): string | null {
    return this.#problem
  }

  say(what: string): void {
    this.trace.push(what)
  }

  broken(what: string): void {
    this.trace.push(`BROKEN: ${what}`)
    this.#problem ??= what
  }

  /** The active run of a conversation, as the runtime knows it. */
  liveRun(sessionKey: string): string | null {
    return this.#live.get(sessionKey) ?? null
  }

  crashed(): void {
    this.crashes += 1
    this.#live.clear()
  }

  runStarted(runId: string, sessionKey: string, promptId: string): void {
    this.#live.set(sessionKey, runId)
    this.#runs.set(runId, { accepted: [promptId], aborted: false })
    this.say(`run ${runId.slice(0, 4)} starts with ${promptId}`)
  }

  startFailed(promptId: string): void {
    this.failedStarts += 1
    this.say(`a run with ${promptId} cannot start`)
  }

  steered(runId: string, promptId: string): void {
    this.#runs.get(runId)!.accepted.push(promptId)
    this.say(`run ${runId.slice(0, 4)} takes ${promptId}`)
  }

  aborted(runId: string): void {
    this.#runs.get(runId)!.aborted = true
    this.say(`run ${runId.slice(0, 4)} is aborted`)
  }

  modelCalled(runId: string): void {
    if (this.#runs.get(runId)!.aborted) this.broken(`run ${runId} called a model after its abort`)
  }

  ended(runId: string, event: DoneEvent | ErrorEvent, isInTranscript: (id: string) => boolean): void {
    const { accepted, aborted } = this.#runs.get(runId)!
    for (const [key, live] of this.#live) if (live === runId) this.#live.delete(key)
    const outcome = event.type === 'done' ? event.outcome : 'failed'
    this.say(`run ${runId.slice(0, 4)} ends as ${outcome}, undelivered: ${event.undelivered.join(' ') || 'none'}`)
    if (aborted && outcome !== 'aborted') this.broken(`an aborted run ended as ${outcome}`)
    if (event.type === 'error' && event.reason !== 'model_failed') this.broken(`a run failed: ${event.message}`)
    const missing = accepted.filter((id) => !isInTranscript(id))
    if (missing.join() !== event.undelivered.join())
      this.broken(`undelivered says "${event.undelivered.join()}", but "${missing.join()}" is missing`)
  }

  newCall(name: string): ToolCallContent {
    this.#calls += 1
    return { type: 'toolCall', id: `call-${this.#calls}`, name, arguments: {} }
  }
}

/** Returns the calls that have no result before the next other message or the end. */
export function openCallsOf(messages: readonly Message[]): readonly string[] {
  let waiting: string[] = []
  const open: string[] = []
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (!waiting.includes(message.toolCallId)) open.push(`result ${message.toolCallId}`)
      waiting = waiting.filter((id) => id !== message.toolCallId)
    } else {
      open.push(...waiting)
      waiting =
        message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'toolCall' ? part.id : [])) : []
    }
  }
  return [...open, ...waiting]
}
