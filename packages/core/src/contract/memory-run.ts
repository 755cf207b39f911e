import {
  type ApprovalAnswer,
  type Capabilities,
  type DoneEvent,
  type ErrorEvent,
  type HostToolAnswer,
  type Prompt,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
  type StartOptions,
  type SteerOutcome,
} from '../executor/index.ts'
import { callHostTool, toolOf, writeFileOf } from './memory-run-tools.ts'
import { scriptInPrompt } from './memory-runtime-script.ts'
import type { MemoryRuntimeState, MemorySession } from './memory-runtime-state.ts'
import type { RuntimeScriptStep } from './runtime-adapter/script.ts'

export interface MemoryRunSetting {
  readonly state: MemoryRuntimeState
  readonly session: MemorySession
  /** The capabilities agreed for this agent. */
  readonly claims: Capabilities
  readonly agentId: string
  readonly options: StartOptions
  readonly prompt: Prompt
  /** The agent's SOUL.md, which starts every model call; null = no file. */
  readonly soul: string | null
  model: string
  /** null = the model is known. */
  readonly modelProblem: string | null
}

type Interruption = 'aborted' | 'disposed' | 'process_died'

/**
 * One run of the reference runtime: model calls, each followed by its tools and by the messages that arrived
 * meanwhile.
 */
export class MemoryRun {
  readonly events = new SingleConsumerQueue<RuntimeEvent>()
  /** Resolves after the last event. */
  readonly ended: Promise<void>
  readonly #setting: MemoryRunSetting
  readonly #stop = new AbortController()
  readonly #approvals = new Map<string, (answer: ApprovalAnswer) => void>()
  readonly #steps: RuntimeScriptStep[]
  /** Accepted but not yet delivered, in order of arrival. */
  readonly #pending: Prompt[]
  #open = true
  #seq = 0
  #calls = 0
  #message = -1
  #said = ''

  constructor(setting: MemoryRunSetting) {
    this.#setting = setting
    this.#pending = [setting.prompt]
    this.#steps = [...scriptInPrompt(setting.prompt.text)]
    this.ended = this.#play()
  }

  steer(prompt: Prompt): SteerOutcome {
    if (!this.#open) return { accepted: false, reason: 'no_active_run' }
    if (!this.#setting.claims.steering) return { accepted: false, reason: 'runtime_rejected' }
    this.#pending.push(prompt)
    return { accepted: true }
  }

  answerApproval(approvalId: string, answer: ApprovalAnswer): boolean {
    const settle = this.#approvals.get(approvalId)
    if (!settle || this.#stop.signal.aborted) return false
    this.#approvals.delete(approvalId)
    settle(answer)
    return true
  }

  setModel(model: string): void {
    if (!this.#open) return
    this.#setting.model = model
    this.#emit({ type: 'status', state: 'model-changed', detail: model })
  }

  interrupt(because: Interruption): void {
    this.#stop.abort(because)
  }

  async #play(): Promise<void> {
    const end = await this.#turns().catch((error) => {
      if (!this.#stop.signal.aborted) throw error
      return this.#interrupted()
    })
    // No await from here to the last event, so each message is either accepted before it or refused after it.
    this.#open = false
    const undelivered = this.#pending.map((prompt) => prompt.id)
    this.#emit({ ...(this.#stop.signal.aborted ? this.#interrupted() : end), undelivered })
    this.events.end()
  }

  async #turns(): Promise<DoneEvent | ErrorEvent> {
    const { modelProblem } = this.#setting
    await this.#pause()
    this.#emit({ type: 'status', state: 'started' })
    if (modelProblem !== null) return failure('model_unknown', modelProblem)
    for (;;) {
      for (let prompt = this.#pending.shift(); prompt; prompt = this.#pending.shift()) this.#deliver(prompt)
      const tripped = await this.#askGuard()
      if (tripped) {
        return done('stopped', this.#said, tripped.reason, `${tripped.scope}: ${tripped.figure} of ${tripped.cap}`)
      }
      const outcome = await this.#callModel()
      if (typeof outcome === 'object') return outcome
      if (outcome === 'said all' && this.#pending.length === 0) return done('completed', this.#said, null)
    }
  }

  /** Plays the script up to and including its next tool. */
  async #callModel(): Promise<'used a tool' | 'said all' | ErrorEvent> {
    const { state, session, soul } = this.#setting
    await this.#pause()
    state.modelCalls += 1
    state.seenByModel.push(...(soul === null ? [] : [soul]), ...session.texts)
    this.#calls += 1
    this.#message += 1
    let text = ''
    for (let step = this.#steps.shift(); ; step = this.#steps.shift()) {
      if (step && 'say' in step) text = await this.#say(text, step.say)
      else if (step && 'think' in step)
        this.#emit({ type: 'reasoning-delta', message: this.#message, text: step.think })
      else if (step && 'wait' in step) await this.#unlessStopped(timer(step.wait))
      else if (step && 'hang' in step) await this.#unlessStopped(new Promise(() => {}))
      else if (step && 'failFatally' in step) return failure('model_failed', step.failFatally)
      else {
        this.#endMessage(text)
        if (!step) return 'said all'
        await this.#useTool(step)
        return 'used a tool'
      }
    }
  }

  async #say(before: string, words: string): Promise<string> {
    let text = before
    const pieces = this.#setting.claims.streaming ? (words.match(/\s*\S+|\s+$/g) ?? []) : []
    for (const piece of pieces) {
      await this.#pause()
      this.#emit({ type: 'text-delta', message: this.#message, offset: text.length, text: piece })
      text += piece
    }
    return before + words
  }

  #endMessage(text: string): void {
    const { claims, session, model } = this.#setting
    if (text && !claims.streaming) this.#emit({ type: 'text-delta', message: this.#message, offset: 0, text })
    if (text) this.#said = text
    const inputTokens = Math.ceil(session.texts.join('').length / 4)
    const outputTokens = Math.ceil(text.length / 4)
    session.texts.push(text)
    const none = { cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null }
    this.#emit({ type: 'cost', model, inputTokens, outputTokens, ...none })
  }

  async #useTool(step: RuntimeScriptStep): Promise<void> {
    const callId = `call-${this.#calls}`
    const { tool, input } = toolOf(step)
    this.#emit({ type: 'tool-call', callId, tool, input })
    await this.#pause()
    const { text, isError } = await this.#doStep(step, callId, tool)
    this.#setting.session.texts.push(text)
    this.#emit({ type: 'tool-result', callId, tool, text, isError })
  }

  async #doStep(step: RuntimeScriptStep, callId: string, tool: string): Promise<HostToolAnswer> {
    if ('callHostTool' in step)
      return this.#unlessStopped(callHostTool(this.#setting, step.callHostTool, step.with, this.#stop.signal))
    if ('writeFile' in step) await writeFileOf(this.#setting, step.writeFile, step.content)
    if ('callTool' in step && step.callTool === 'held') await this.#unlessStopped(this.#setting.state.release.promise)
    const refusal = 'askApproval' in step ? await this.#askFor(step.askApproval, callId, tool) : null
    return { text: refusal ?? `${tool}: as it is`, isError: refusal !== null }
  }

  /** Returns the reason why the action is refused; null = allowed. */
  async #askFor(action: string, callId: string, tool: string): Promise<string | null> {
    const { claims, options, state } = this.#setting
    if (!claims.toolApproval || state.alwaysAllowed.has(action)) return null
    const approvalId = `${options.runId}-${callId}`
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>()
    this.#approvals.set(approvalId, resolve)
    const reason = 'it acts on something'
    this.#emit({ type: 'approval-request', approvalId, callId, tool, action, cwd: '/', reason, mayAlwaysAllow: true })
    const answer = await this.#unlessStopped(promise)
    this.#emit({ type: 'status', state: 'approval-answered', approvalId, detail: answer })
    if (answer === 'allow-always') state.alwaysAllowed.add(action)
    return answer === 'deny' ? 'denied: a person said no' : null
  }

  async #askGuard() {
    const { claims, options } = this.#setting
    if (!claims.asksBeforeModelCall) return null
    return this.#unlessStopped(options.guard.mayCallModel(this.#seq))
  }

  #deliver(prompt: Prompt): void {
    this.#setting.session.texts.push(prompt.text)
    this.#setting.session.promptIds.add(prompt.id)
    this.#emit({ type: 'status', state: 'prompt-delivered', promptId: prompt.id, detail: prompt.text })
  }

  #interrupted(): DoneEvent | ErrorEvent {
    const because = this.#stop.signal.reason as Interruption
    if (because === 'process_died') return failure('process_died', 'the runtime died')
    return done('aborted', this.#said, because === 'disposed' ? 'server_stopping' : null)
  }

  #emit(body: RuntimeEventBody): void {
    const { options, session } = this.#setting
    this.events.push({ runId: options.runId, sessionId: session.id, ts: Date.now(), seq: ++this.#seq, ...body })
  }

  #pause(): Promise<void> {
    return this.#unlessStopped(timer(0))
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#stop
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason)
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function done(outcome: DoneEvent['outcome'], text: string, reason: DoneEvent['reason'], detail?: string): DoneEvent {
  return { type: 'done', outcome, reason, text, undelivered: [], ...(detail === undefined ? {} : { detail }) }
}

function failure(reason: ErrorEvent['reason'], message: string): ErrorEvent {
  return { type: 'error', fatal: true, reason, message, undelivered: [] }
}
