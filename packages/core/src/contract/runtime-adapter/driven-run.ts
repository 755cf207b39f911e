import {
  type DoneEvent,
  type ErrorEvent,
  endsRun,
  type Prompt,
  type RunHandle,
  type RuntimeAdapter,
  type RuntimeEvent,
  type RuntimeEventEnvelope,
  type SteerOutcome,
} from '../../executor/index.ts'
import { expectLawfulStream } from './lawful-stream.ts'

export type EndEvent = RuntimeEventEnvelope & (DoneEvent | ErrorEvent)

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>

/** How long a test waits for an event before it fails. */
const PATIENCE_MS = 120_000

/** Reads a run's stream to its end in the background and checks it against the contract. */
export class DrivenRun {
  readonly handle: RunHandle
  readonly prompt: Prompt
  readonly events: RuntimeEvent[] = []
  readonly #adapter: RuntimeAdapter
  readonly #patienceMs: number
  readonly #steers: { readonly prompt: Prompt; readonly outcome: Promise<SteerOutcome> }[] = []
  #wake = Promise.withResolvers<void>()
  #closed = false
  #failure: unknown = null

  constructor(
    adapter: RuntimeAdapter,
    handle: RunHandle,
    prompt: Prompt,
    stream: AsyncIterable<RuntimeEvent>,
    patienceMs = PATIENCE_MS,
  ) {
    this.#adapter = adapter
    this.#patienceMs = patienceMs
    this.handle = handle
    this.prompt = prompt
    void this.#read(stream)
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves with the first event of a type, whether past or future. */
  async first<T extends RuntimeEvent['type']>(
    type: T,
    matches: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    const find = () =>
      this.events.find((event): event is EventOf<T> => event.type === type && matches(event as EventOf<T>))
    await this.#until(`an event "${type}"`, () => find() !== undefined || this.#closed)
    const found = find()
    if (!found) throw new Error(`the run ended without an event "${type}"; seen: ${this.#seen()}`)
    return found
  }

  /** Resolves once this many events have arrived, or the run has ended with fewer. */
  count(events: number): Promise<void> {
    return this.#until(`event number ${events}`, () => this.events.length >= events || this.#closed)
  }

  /** Resolves when the prompt was reported as delivered. */
  async started(): Promise<void> {
    await this.first('status', (event) => event.state === 'prompt-delivered')
  }

  /** Returns the last event, after the whole stream was checked. */
  async end(): Promise<EndEvent> {
    await this.#until('the end of the stream', () => this.#closed)
    if (this.#failure) throw this.#failure
    expectLawfulStream(this.events, this.handle.runId, await this.#accepted())
    return this.events.find((event): event is EndEvent => endsRun(event))!
  }

  /** Returns the last event and fails if it is an error. */
  async done(): Promise<RuntimeEventEnvelope & DoneEvent> {
    const end = await this.end()
    if (end.type !== 'done') throw new Error(`the run failed: ${end.reason}: ${end.message}`)
    return end
  }

  /** The text may depend on the message's id. */
  steer(words: string | ((promptId: string) => string)): Promise<SteerOutcome> {
    if (!this.#adapter.steer) throw new TypeError('this runtime does not claim steering')
    const id = `${this.prompt.id}-steer-${this.#steers.length + 1}`
    const prompt = { id, text: typeof words === 'string' ? words : words(id) }
    const outcome = this.#adapter.steer(this.handle, prompt)
    this.#steers.push({ prompt, outcome })
    return outcome
  }

  abort(): Promise<void> {
    return this.#adapter.abort(this.handle)
  }

  /** The ids of the delivered prompts, in order. */
  delivered(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'status' && event.state === 'prompt-delivered' ? [event.promptId ?? '(no id)'] : [],
    )
  }

  async #accepted(): Promise<string[]> {
    const outcomes = await Promise.all(this.#steers.map(({ outcome }) => outcome))
    return [this.prompt.id, ...this.#steers.filter((_, n) => outcomes[n]!.accepted).map(({ prompt }) => prompt.id)]
  }

  async #read(stream: AsyncIterable<RuntimeEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        this.events.push(event)
        this.#changed()
      }
    } catch (error) {
      this.#failure = error
    }
    this.#closed = true
    this.#changed()
  }

  #changed(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => patience.reject(new Error(`${what} did not come; seen: ${this.#seen()}`)),
      this.#patienceMs,
    )
    try {
      while (!holds()) await Promise.race([this.#wake.promise, patience.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #seen(): string {
    return this.events.map((event) => (event.type === 'status' ? event.state : event.type)).join(', ') || 'nothing'
  }
}
