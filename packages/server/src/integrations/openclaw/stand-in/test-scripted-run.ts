import { randomUUID } from 'node:crypto'
import { setImmediate as tick } from 'node:timers/promises'
import {
  playModel,
  type ScriptedEnd,
  type ScriptedMessage,
  type ScriptedRequest,
  type ScriptedToolCall,
  type ScriptedUsage,
} from '@clawboo/scripted-model'
import type { Json } from './test-recordings.ts'
import type { ScriptedTools, ToolResult } from './test-scripted-tools.ts'

export interface ScriptedPrompt {
  readonly runId: string
  readonly text: string
}

/** The session of a run, and the parts that all scripted runs share. */
export interface ScriptedContext {
  readonly sessionKey: string
  readonly sessionId: string
  readonly model: string
  readonly isGuarded: boolean
  /** The agent's files, as the model receives them. */
  readonly system: string
  /** The conversation's record. */
  readonly rows: Json[]
  readonly tools: ScriptedTools
  /** Every request to the model, of all runs. */
  readonly requests: ScriptedRequest[]
  broadcast(event: string, payload: Json): void
}

/** One run of the stand-in: a scripted model answers, and the run sends the same frames as a recorded one. */
export class ScriptedRun {
  readonly runId: string
  /** Prompts that wait for the next model call. */
  readonly steers: ScriptedPrompt[] = []
  readonly #context: ScriptedContext
  readonly #agentId: string
  readonly #abort = new AbortController()
  readonly #itemId = randomUUID()
  readonly #openCalls = new Set<ScriptedToolCall>()
  #state: 'preparing' | 'streaming' | 'finishing' = 'preparing'
  #modelCalls = 0
  /** The texts since the last tool call. */
  #texts: string[] = []
  #partial = ''

  constructor(runId: string, context: ScriptedContext) {
    this.runId = runId
    this.#context = context
    this.#agentId = context.sessionKey.split(':')[1]!
  }

  /** A prompt can join the run while its model or a tool works, but not while the run prepares or finishes. */
  get takesSteers(): boolean {
    return this.#state === 'streaming'
  }

  /** Resolves when the run has ended, for any reason. */
  async play(prompt: ScriptedPrompt): Promise<void> {
    this.#chat({ state: 'status', phase: 'preparing_workspace' })
    await tick()
    if (this.#isAborted) return
    const row = { role: 'user', content: prompt.text, idempotencyKey: `${prompt.runId}:user` }
    // A prompt that was queued behind another run is stored after its own run has started.
    if (prompt.runId !== this.runId) this.#lifecycle({ phase: 'start', startedAt: Date.now() })
    this.#store(row)
    // A Gateway sends the row well before the run starts, so an abort can arrive in between.
    for (let wait = 0; wait < 8; wait++) await tick()
    if (this.#isAborted) return
    if (prompt.runId === this.runId) this.#lifecycle({ phase: 'start', startedAt: Date.now() })
    this.#state = 'streaming'
    while (!this.#isAborted && (await this.#nextModelCall()));
  }

  /** Ends the run from outside, with a Gateway's frames in order. Returns false if the run is already aborted. */
  abort(): boolean {
    if (this.#isAborted) return false
    this.#abort.abort()
    const answer = this.#partial || this.#texts.join('\n\n')
    this.#chat({ state: 'aborted', stopReason: 'rpc', ...(answer ? { message: assistantText(answer) } : {}) })
    this.#lifecycle({ phase: 'end', status: 'cancelled', aborted: true, stopReason: 'rpc' })
    for (const call of this.#openCalls) this.#toolEnded(call, { text: 'Aborted', isError: true })
    this.#lifecycle({ phase: 'error', error: 'This operation was aborted', aborted: true, stopReason: 'aborted' })
    return true
  }

  /** Ends the run without a frame, as if the process had died. */
  die(): void {
    this.#abort.abort()
  }

  get #isAborted(): boolean {
    return this.#abort.signal.aborted
  }

  /** Makes one model call and runs the tools that it requests. Returns false at the end of the run. */
  async #nextModelCall(): Promise<boolean> {
    this.#takeSteers()
    const { calls, end } = await this.#callModel()
    if (this.#isAborted) return false
    if (end.because === 'failed') return this.#fail()
    await Promise.all(calls.map((call) => this.#useTool(call)))
    if (this.#isAborted) return false
    if (calls.length > 0 || this.steers.length > 0) return true
    await this.#finish()
    return false
  }

  #takeSteers(): void {
    const steers = this.steers.splice(0).map(({ runId, text }) => {
      const row = { role: 'user', content: text, idempotencyKey: `${runId}:user` }
      return { runId, row, id: this.#store(row) }
    })
    for (const { runId, row, id } of steers) {
      this.#context.broadcast('chat', { runId, sessionKey: this.#context.sessionKey, seq: 1, state: 'final' })
      this.#broadcastRow({ ...row, __openclaw: { id, steerTargetRunId: this.runId } })
    }
  }

  async #callModel(): Promise<{ readonly calls: readonly ScriptedToolCall[]; readonly end: ScriptedEnd }> {
    const { model, requests } = this.#context
    const request: ScriptedRequest = { messages: this.#messages(), tools: [], model }
    requests.push(request)
    this.#modelCalls += 1
    this.#lifecycle({ phase: 'model', provider: 'scripted', model })
    const calls: ScriptedToolCall[] = []
    let end: ScriptedEnd = { type: 'end', because: 'aborted' }
    this.#partial = ''
    for await (const part of playModel(request, { signal: this.#abort.signal })) {
      await tick()
      if (this.#isAborted) break
      if (part.type === 'text-delta') this.#say(part.text)
      else if (part.type === 'reasoning-delta') this.#agent('thinking', { delta: part.text })
      else if (part.type === 'tool-call') calls.push(part)
      else end = part
    }
    if (!this.#isAborted && 'usage' in end) this.#storeAnswer(calls, end.usage)
    return { calls, end }
  }

  #say(delta: string): void {
    this.#partial += delta
    this.#agent('assistant', { text: this.#partial, delta, itemId: `${this.#itemId}:${this.#modelCalls}` })
  }

  #storeAnswer(calls: readonly ScriptedToolCall[], { input, output, cacheRead }: ScriptedUsage): void {
    const text = this.#partial
    this.#partial = ''
    if (text) this.#texts.push(text)
    if (calls.length > 0 && text) {
      const itemId = `commentary-0-${this.#itemId}-${this.#modelCalls}`
      this.#agent('item', { kind: 'preamble', title: 'Preamble', phase: 'end', progressText: text, itemId })
    }
    if (calls.length > 0) this.#texts = []
    const fresh = input - cacheRead
    this.#store({
      role: 'assistant',
      content: [
        ...(text ? [{ type: 'text', text }] : []),
        ...calls.map(({ id, tool, input: args }) => ({
          type: 'toolCall',
          id,
          name: tool,
          arguments: JSON.parse(args),
        })),
      ],
      provider: 'scripted',
      model: this.#context.model,
      usage: { input: fresh, output, cacheRead, cacheWrite: 0, cost: { total: (fresh + output * 2) / 1e6 } },
      stopReason: calls.length > 0 ? 'toolUse' : 'stop',
    })
  }

  async #useTool(call: ScriptedToolCall): Promise<void> {
    const { id, tool, input } = call
    this.#openCalls.add(call)
    this.#agent('tool', { phase: 'start', name: tool, toolCallId: id, args: JSON.parse(input) })
    const result = await this.#context.tools.use(call, {
      agentId: this.#agentId,
      sessionKey: this.#context.sessionKey,
      runId: this.runId,
      isGuarded: this.#context.isGuarded,
      signal: this.#abort.signal,
      broadcast: this.#context.broadcast,
      lifecycle: (data) => this.#lifecycle(data),
    })
    if (this.#isAborted) return
    this.#toolEnded(call, result)
    const content = [{ type: 'text', text: result.text }]
    this.#context.rows.push({ role: 'toolResult', toolCallId: id, toolName: tool, content, isError: result.isError })
    await tick()
  }

  #toolEnded(call: ScriptedToolCall, { text, isError }: ToolResult): void {
    this.#openCalls.delete(call)
    const result = { content: [{ type: 'text', text }], details: { status: isError ? 'failed' : 'completed' } }
    this.#agent('tool', { phase: 'result', name: call.tool, toolCallId: call.id, isError, result })
  }

  async #finish(): Promise<void> {
    this.#state = 'finishing'
    this.#lifecycle({ phase: 'finishing', stopReason: 'stop', aborted: false })
    for (let wait = 0; wait < 4; wait++) await tick()
    if (this.#isAborted) return
    this.#lifecycle({ phase: 'model', provider: null, model: null })
    this.#lifecycle({ phase: 'end', stopReason: 'stop', aborted: false })
    this.#chat({ state: 'final', stopReason: 'stop', message: assistantText(this.#texts.join('\n\n')) })
  }

  #fail(): false {
    this.#state = 'finishing'
    const error = 'LLM request failed: provider rejected the request schema or tool payload.'
    this.#lifecycle({ phase: 'finishing', error })
    this.#lifecycle({ phase: 'fallback_step', fallbackStepFinalOutcome: 'chain_exhausted' })
    this.#lifecycle({ phase: 'error', aborted: false, error })
    this.#chat({ state: 'error', errorMessage: error })
    this.#chat({ state: 'error', errorMessage: `⚠️ Agent failed before reply: ${error}` })
    return false
  }

  #messages(): readonly ScriptedMessage[] {
    return [{ role: 'system', text: this.#context.system }, ...this.#context.rows.map(messageOf)]
  }

  /** Returns the row's id. */
  #store(row: Json): string {
    const id = randomUUID()
    const stored = { ...row, __openclaw: { id, ...(row.role === 'assistant' ? { runId: this.runId } : {}) } }
    this.#context.rows.push(stored)
    this.#broadcastRow(stored)
    return id
  }

  #broadcastRow(message: Json): void {
    this.#context.broadcast('session.message', {
      sessionKey: this.#context.sessionKey,
      agentId: this.#agentId,
      message,
    })
  }

  #chat(more: Json): void {
    const { sessionKey } = this.#context
    this.#context.broadcast('chat', { runId: this.runId, sessionKey, agentId: this.#agentId, ...more })
  }

  #lifecycle(data: Json): void {
    this.#agent('lifecycle', data)
  }

  #agent(stream: string, data: Json): void {
    const { sessionKey, sessionId } = this.#context
    this.#context.broadcast('agent', { runId: this.runId, sessionKey, sessionId, agentId: this.#agentId, stream, data })
  }
}

function assistantText(text: string): Json {
  return { role: 'assistant', content: [{ type: 'text', text }], timestamp: Date.now() }
}

function messageOf(row: Json): ScriptedMessage {
  if (row.role === 'user') return { role: 'user', text: String(row.content) }
  const parts = row.content as readonly Json[]
  const text = parts.map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
  if (row.role === 'toolResult')
    return { role: 'tool', text, callId: String(row.toolCallId), isError: row.isError === true }
  const toolCalls = parts.flatMap((part) =>
    part.type === 'toolCall'
      ? [{ id: String(part.id), tool: String(part.name), input: JSON.stringify(part.arguments) }]
      : [],
  )
  return { role: 'assistant', text, toolCalls }
}
