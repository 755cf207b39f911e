import { randomUUID } from 'node:crypto'
import type { Json } from './test-recordings.ts'
import { type ScriptedContext, type ScriptedPrompt, ScriptedRun } from './test-scripted-run.ts'

type QueueMode = 'followup' | 'steer'

interface WaitingPrompt extends ScriptedPrompt {
  /** The id of the run that will answer it. */
  readonly runsAs: string
}

/**
 * The prompts of one session of the stand-in, which has one run at a time. A steering prompt joins the run, or starts a
 * run under its own id if it arrives too early or too late; a follow-up is answered under a generated id.
 */
export class ScriptedSession {
  readonly #context: () => ScriptedContext
  readonly #over: (runId: string) => void
  /** The prompts that were accepted but not yet joined to a run, started or queued. */
  readonly #accepted: (ScriptedPrompt & { readonly mode: QueueMode })[] = []
  #waiting: WaitingPrompt[] = []
  #run: ScriptedRun | null = null

  constructor(context: () => ScriptedContext, over: (runId: string) => void) {
    this.#context = context
    this.#over = over
  }

  get activeRun(): string | null {
    return this.#run?.runId ?? null
  }

  /** The ids of the prompts that have not reached the model. */
  get pending(): readonly string[] {
    return [...(this.#run?.steers ?? []), ...this.#waiting, ...this.#accepted].map(({ runId }) => runId)
  }

  send(runId: string, text: string, mode: QueueMode): void {
    const prompt = { runId, text, mode }
    this.#accepted.push(prompt)
    setImmediate(() => this.#place(prompt))
  }

  /** Ends one run, or withdraws the prompt that would start it. Returns the ids that ended. */
  abort(runId: string): readonly string[] {
    if (this.#run?.runId === runId) return this.#run.abort() ? [runId] : []
    if (!this.#withdraw(runId)) return []
    this.#broadcastEnd(runId, { state: 'aborted', stopReason: 'rpc' })
    this.#context().broadcast('agent', {
      runId,
      sessionKey: this.#context().sessionKey,
      stream: 'lifecycle',
      data: { phase: 'end', status: 'cancelled', aborted: true, stopReason: 'rpc' },
    })
    return [runId]
  }

  /** Ends the run and drops every prompt. */
  abortAll(): readonly string[] {
    const steers = this.#run?.steers.splice(0) ?? []
    this.#waiting = []
    this.#accepted.length = 0
    const ended = this.#run ? this.abort(this.#run.runId) : []
    for (const { runId } of steers) this.#broadcastEnd(runId, { state: 'final' })
    return [...steers.map(({ runId }) => runId), ...ended]
  }

  die(): void {
    this.#run?.die()
    this.#run = null
    this.#waiting = []
    this.#accepted.length = 0
  }

  #place(prompt: ScriptedPrompt & { readonly mode: QueueMode }): void {
    const at = this.#accepted.indexOf(prompt)
    if (at < 0) return
    this.#accepted.splice(at, 1)
    const { runId, text, mode } = prompt
    if (!this.#run) void this.#begin({ runId, text, runsAs: runId })
    else if (mode === 'steer' && this.#waiting.length === 0 && this.#run.takesSteers) this.#run.steers.push(prompt)
    else if (mode === 'steer') this.#waiting.push({ runId, text, runsAs: runId })
    else this.#queue(prompt)
  }

  /** Ends the prompt's own id at once, because another id answers it. */
  #queue({ runId, text }: ScriptedPrompt): void {
    this.#waiting.push({ runId, text, runsAs: randomUUID() })
    this.#broadcastEnd(runId, { state: 'final' })
  }

  async #begin(prompt: WaitingPrompt): Promise<void> {
    const run = new ScriptedRun(prompt.runsAs, this.#context())
    this.#run = run
    await run.play(prompt)
    if (this.#run !== run) return
    this.#run = null
    this.#over(run.runId)
    for (const steer of run.steers.splice(0)) this.#queue(steer)
    const next = this.#waiting.shift()
    if (next) void this.#begin(next)
  }

  #withdraw(runId: string): boolean {
    for (const prompts of [this.#accepted, this.#waiting, this.#run?.steers ?? []] as ScriptedPrompt[][]) {
      const at = prompts.findIndex((prompt) => prompt.runId === runId)
      if (at < 0) continue
      prompts.splice(at, 1)
      return true
    }
    return false
  }

  #broadcastEnd(runId: string, more: Json): void {
    this.#over(runId)
    const { sessionKey, broadcast } = this.#context()
    broadcast('chat', { runId, sessionKey, seq: 1, ...more })
  }
}
