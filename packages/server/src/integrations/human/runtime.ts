import { ClawbooError } from '@clawboo/core'
import {
  type DoneEvent,
  type ErrorEvent,
  NO_CAPABILITIES,
  type Prompt,
  type RuntimeAdapter,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { HostPeople, IntegrationHost, PersonAnswer } from '../host.ts'
import { HUMAN_ID } from './human-id.ts'

/** A run is an item for a person. It lasts until the person completes or refuses it. */
export function createPersonRuntime(host: Pick<IntegrationHost, 'people' | 'now'>): RuntimeAdapter {
  const runs = new Map<string, PersonRun>()
  let isDisposed = false
  return {
    id: HUMAN_ID,
    participantKind: 'human',
    capabilities: () => NO_CAPABILITIES,
    health: async () =>
      host.people && !isDisposed
        ? { state: 'ready', detail: null }
        : { state: 'unavailable', detail: 'This server cannot ask people.' },
    async start({ agent, prompt }, { runId, model }) {
      if (isDisposed || !host.people) throw new ClawbooError('agent_cannot_run', 'this server cannot ask people')
      if (model !== undefined)
        throw new ClawbooError('model_unknown', `a person uses no model, so "${model}" cannot be chosen`, {
          details: { model },
        })
      const run = new PersonRun({ people: host.people, person: agent, runId, prompt, now: host.now })
      runs.set(runId, run)
      void run.ended.then(() => runs.delete(runId))
      return { runId, sessionId: null }
    },
    events({ runId }) {
      const run = runs.get(runId)
      if (!run) throw new TypeError(`there is no run "${runId}"`)
      return run.events
    },
    abort: async ({ runId }) => runs.get(runId)?.interrupt(null),
    async dispose() {
      isDisposed = true
      await Promise.all([...runs.values()].map((run) => run.interrupt('server_stopping')))
    },
  }
}

interface PersonRunSetting {
  readonly people: HostPeople
  readonly person: AgentRecord
  readonly runId: string
  readonly prompt: Prompt
  readonly now: () => number
}

/**
 * One run of a person. Accepting a step becomes a tool call, and the answer becomes its result; an answer without an
 * accepted step is a message. `done` completes the run, `refuse` fails it.
 */
class PersonRun {
  readonly events = new SingleConsumerQueue<RuntimeEvent>()
  /** Resolves after the last event, when the item is settled or withdrawn. */
  readonly ended: Promise<void>
  readonly #setting: PersonRunSetting
  readonly #asked: Promise<{ withdraw(): Promise<void> }>
  readonly #end = Promise.withResolvers<void>()
  #isOver = false
  #isDelivered = false
  #seq = 0
  #steps = 0
  #step: string | null = null
  #messages = 0
  #lastMessage = ''
  /** The text of the last step, for a run without any message. */
  #result = ''

  constructor(setting: PersonRunSetting) {
    this.#setting = setting
    this.ended = this.#end.promise
    this.#emit({ type: 'status', state: 'started' })
    const { person, runId, prompt, people } = setting
    const onAnswer = (answer: PersonAnswer) =>
      void this.#asked.then(
        () => this.#take(answer),
        // `couldNotAsk` has ended the run.
        () => {},
      )
    this.#asked = people.ask({ person, runId, text: prompt.text }, onAnswer)
    this.#asked.then(
      () => this.#delivered(),
      (error: unknown) => this.#couldNotAsk(error),
    )
  }

  async interrupt(reason: DoneEvent['reason']): Promise<void> {
    if (!this.#isOver) {
      this.#finish({ type: 'done', outcome: 'aborted', reason, text: this.#text(), undelivered: [] })
      // A question that could not be asked needs no withdrawal.
      const asked = await this.#asked.catch(() => null)
      await asked?.withdraw().finally(this.#end.resolve)
      this.#end.resolve()
    }
    await this.ended
  }

  #delivered(): void {
    if (this.#isOver) return
    this.#isDelivered = true
    const { id, text } = this.#setting.prompt
    this.#emit({ type: 'status', state: 'prompt-delivered', promptId: id, detail: text })
  }

  #couldNotAsk(error: unknown): void {
    if (this.#isOver) return
    const message = error instanceof Error ? error.message : String(error)
    this.#finish({ type: 'error', fatal: true, reason: 'start_failed', message, undelivered: [] })
    this.#end.resolve()
  }

  #take({ kind, text }: PersonAnswer): void {
    if (this.#isOver) return
    if (kind === 'accept') this.#accept()
    else if (kind === 'answer') this.#answer(text)
    else this.#settle(kind, text)
  }

  #answer(text: string): void {
    if (this.#step === null) this.#say(text)
    else this.#endStep(text, false)
  }

  #settle(kind: 'done' | 'refuse', text: string): void {
    if (kind === 'done') {
      this.#endStep('The step is done.', false)
      if (text !== '') this.#say(text)
      this.#finish({ type: 'done', outcome: 'completed', reason: null, text: this.#text(), undelivered: [] })
    } else {
      this.#endStep(text, true)
      this.#finish({ type: 'error', fatal: true, reason: 'refused', message: text, undelivered: [] })
    }
    this.#end.resolve()
  }

  #accept(): void {
    this.#endStep('The step was started again.', true)
    this.#steps += 1
    this.#step = `step-${this.#steps}`
    this.#emit({ type: 'tool-call', callId: this.#step, tool: TOOL, input: {} })
  }

  /** Does nothing when no step was accepted. */
  #endStep(text: string, isError: boolean): void {
    if (this.#step === null) return
    this.#emit({ type: 'tool-result', callId: this.#step, tool: TOOL, text, isError })
    this.#step = null
    if (!isError) this.#result = text
  }

  #say(text: string): void {
    this.#emit({ type: 'text-delta', message: this.#messages, offset: 0, text })
    this.#messages += 1
    this.#lastMessage = text
  }

  #text(): string {
    return this.#messages === 0 ? this.#result : this.#lastMessage
  }

  #finish(last: DoneEvent | ErrorEvent): void {
    const undelivered = this.#isDelivered ? [] : [this.#setting.prompt.id]
    this.#emit({ ...last, undelivered })
    this.#isOver = true
    this.events.end()
  }

  #emit(body: RuntimeEventBody): void {
    const { runId, now } = this.#setting
    this.#seq += 1
    this.events.push({ runId, sessionId: null, ts: now(), seq: this.#seq, ...body })
  }
}

const TOOL = 'work'
