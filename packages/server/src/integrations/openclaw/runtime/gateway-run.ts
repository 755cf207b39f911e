import {
  type Prompt,
  type RunHandle,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
} from '@clawboo/core/executor'
import { asksPerson } from '../asks-person.ts'
import type { Signal, Spent } from '../translate.ts'
import type { Fault, RunHooks, UpstreamEnd } from './run-hooks.ts'
import { SentPrompts } from './sent-prompts.ts'
import { type Piece, SpokenMessages } from './spoken-messages.ts'

/**
 * One run of ours, which may be several at the Gateway: a prompt that was to steer begins one of its own when it comes
 * too late, and a prompt that finds the session busy is answered under an id that nobody chose. Fed with what the
 * session's frames mean, it tells the run's events.
 */
export class GatewayRun {
  readonly events = new SingleConsumerQueue<RuntimeEvent>()
  readonly #runId: string
  readonly #hooks: RunHooks
  readonly #sent = new SentPrompts()
  /** Runs of the Gateway that are ours. */
  readonly #members = new Set<string>()
  readonly #underWay = new Set<string>()
  readonly #openCalls = new Map<string, string>()
  readonly #approvals = new Map<string, 'open' | 'answered' | 'over'>()
  readonly #rows = new Set<string>()
  readonly #spoken = new SpokenMessages()
  #sessionId: string | null = null
  #seq = 0
  #modelCalls = 0
  /** A prompt that was queued is in the record now: whoever begins next in this session begins with it. */
  #expectsRun = false
  /** A run under way that is nobody's we know: the one of a queued prompt may begin before its row is kept. */
  #stranger: string | null = null
  #end: UpstreamEnd | null = null
  #isOver = false

  constructor(options: { readonly runId: string; readonly hooks: RunHooks }) {
    this.#runId = options.runId
    this.#hooks = options.hooks
  }

  get handle(): RunHandle {
    return { runId: this.#runId, sessionId: this.#sessionId }
  }

  /** Ids at the Gateway that have not come to an end, the newest first. */
  get unsettled(): readonly string[] {
    return [...new Set([...this.#sent.openKeys, ...this.#underWay])].reverse()
  }

  /** A prompt waits behind a run, under no id that could be named. */
  get hasQueued(): boolean {
    return this.#sent.hasQueued
  }

  /** Rows of model calls that were not seen although there were calls. */
  get misses(): boolean {
    return this.#rows.size < this.#modelCalls
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Some prompt that the Gateway accepted has not reached the agent. */
  get hasUndelivered(): boolean {
    return this.#sent.undelivered.length > 0
  }

  send(prompt: Prompt, key: string): void {
    this.#sent.add(prompt, key)
    this.#members.add(key)
  }

  /** The Gateway did not take it. */
  unsend(key: string): void {
    this.#sent.remove(key)
    this.#look()
  }

  tell(body: RuntimeEventBody): void {
    const head = { runId: this.#runId, sessionId: this.#sessionId, ts: Date.now(), seq: ++this.#seq }
    this.events.push({ ...head, ...body })
  }

  take(signal: Signal): void {
    if (this.#isOver || signal.type === 'resumed' || signal.type === 'failed') return
    if (signal.type === 'prompt-kept') this.#kept(signal.key, signal.into)
    else if (signal.type === 'prompts-collected') this.#collected(signal.text)
    else if (signal.type === 'approval-over') this.#approvalOver(signal.approvalId)
    else if (signal.type === 'begun') this.#begin(signal.runId, signal.sessionId)
    else if (!this.#members.has(signal.runId)) this.#forget(signal)
    else if (signal.type === 'over') this.#ended(signal.runId, signal)
    else if (signal.type === 'spent') this.spent(signal)
    else if (signal.type === 'model-called') this.#modelCalled(signal.model)
    else this.#takeWork(signal)
  }

  spent({ rowId, runId: _, ...cost }: Spent): void {
    if (this.#rows.has(rowId)) return
    this.#rows.add(rowId)
    const { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = cost
    this.tell({ type: 'cost', model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd })
  }

  /** True: it was open, and from now on it is not. */
  takeApproval(approvalId: string): boolean {
    if (this.#isOver || this.#approvals.get(approvalId) !== 'open') return false
    this.#approvals.set(approvalId, 'answered')
    return true
  }

  /** Whatever became of it. */
  wasAsked(approvalId: string): boolean {
    return this.#approvals.has(approvalId)
  }

  isMember(runId: string): boolean {
    return this.#members.has(runId)
  }

  /** Nothing of it has reached the agent: it may be sent anew. */
  get isUntouched(): boolean {
    return this.#sent.areUntouched && this.#modelCalls === 0
  }

  /** Forgets every prompt that was sent, and returns them in their order: each has to be sent again. */
  restart(): readonly Prompt[] {
    this.#end = null
    this.#isOver = false
    return this.#sent.clear()
  }

  /** These prompts could not be sent again: the last event returns them. */
  handBack(prompts: readonly Prompt[]): void {
    for (const prompt of prompts) this.#sent.addUnsent(prompt)
  }

  /** The last event. What comes afterwards is not heard. */
  close(
    end: { readonly outcome: 'completed' | 'aborted'; readonly detail?: string } | { readonly fault: Fault },
  ): void {
    if (this.events.ended) return
    this.#isOver = true
    const { undelivered } = this.#sent
    if ('fault' in end) this.tell({ type: 'error', fatal: true, ...end.fault, undelivered })
    else {
      const { outcome, detail } = end
      const text = this.#spoken.last ?? this.#end?.text ?? ''
      this.tell({ type: 'done', outcome, reason: null, text, undelivered, ...(detail ? { detail } : {}) })
    }
    this.events.end()
  }

  #takeWork(
    signal: Extract<
      Signal,
      { type: 'said' | 'said-whole' | 'thought' | 'tool-called' | 'tool-ended' | 'approval-asked' }
    >,
  ) {
    // The model has it, so it is kept.
    this.#keep(this.#sent.first?.key ?? '')
    if (signal.type === 'said') this.#say(this.#spoken.add(signal.message, signal.text))
    else if (signal.type === 'said-whole') this.#say(this.#spoken.addWhole(signal.message, signal.text))
    else if (signal.type === 'thought') {
      this.tell({ type: 'reasoning-delta', message: this.#spoken.next, text: signal.text })
    } else if (signal.type === 'tool-called') this.#call(signal.callId, signal.tool, signal.input)
    else if (signal.type === 'approval-asked') this.#ask(signal)
    else if (this.#openCalls.delete(signal.callId)) {
      const { callId, tool, text, isError } = signal
      this.tell({ type: 'tool-result', callId, tool, text, isError })
    }
  }

  #say(piece: Piece | null): void {
    if (piece) this.tell({ type: 'text-delta', ...piece })
  }

  #modelCalled(model: string): void {
    this.#modelCalls += 1
    this.#spoken.nextCall()
    this.tell({ type: 'status', state: 'model-call', detail: model })
  }

  #begin(runId: string, sessionId: string): void {
    this.#sessionId ??= sessionId || null
    const isKnown = this.#members.has(runId)
    if (!isKnown && !this.#expectsRun) this.#stranger = runId
    else {
      if (!isKnown) this.#expectsRun = false
      this.#adopt(runId)
    }
  }

  #forget(signal: Signal): void {
    if (signal.type === 'over' && signal.runId === this.#stranger) this.#stranger = null
  }

  #adopt(runId: string): void {
    this.#members.add(runId)
    this.#underWay.add(runId)
    if (this.#stranger === runId) this.#stranger = null
  }

  #keep(key: string): void {
    for (const { id, text } of this.#sent.keep(key))
      this.tell({ type: 'status', state: 'prompt-delivered', promptId: id, detail: text })
  }

  #ended(runId: string, { how, text, problem }: UpstreamEnd): void {
    const sent = this.#sent.find(runId)
    if (sent?.isOver) return
    if (sent) sent.isOver = true
    if (how === 'aborted') this.#say(this.#spoken.addCutOff(text ?? ''))
    const hadBegun = this.#underWay.delete(runId)
    const isEmpty = !hadBegun && text === null
    if (isEmpty && how === 'final' && sent && !sent.isKept) sent.isQueued = true
    // A steering prompt that was taken into another run, or withdrawn before it was stored, is no end of the run.
    else if (!isEmpty || (how !== 'final' && (sent === this.#sent.first || sent?.isKept)))
      this.#endWith({ how, text, problem })
    this.#look()
  }

  /** A failure aborts the prompts that wait behind it; these aborts must not hide the failure. */
  #endWith(end: UpstreamEnd): void {
    if (this.#end?.how !== 'error' || end.how !== 'aborted') this.#end = end
  }

  #collected(text: string): void {
    const taken = this.#sent.queuedIn(text)
    for (const sent of taken) {
      sent.isQueued = false
      this.#keep(sent.key)
    }
    if (taken.length > 0) this.#expectRun()
  }

  #kept(key: string, into: string | null): void {
    const sent = this.#sent.find(key)
    const wasQueued = sent?.isQueued === true
    if (sent) sent.isQueued = false
    if (wasQueued && (into === null || !this.#members.has(into))) this.#expectRun()
    this.#keep(key)
    this.#look()
  }

  #expectRun(): void {
    if (this.#stranger !== null) this.#adopt(this.#stranger)
    else this.#expectsRun = true
  }

  #look(): void {
    const end = this.#end
    if (this.#isOver || !end || this.#underWay.size > 0) return
    if (end.how === 'final' && (this.#expectsRun || this.hasQueued)) return
    const open = this.#sent.openKeys
    if (end.how !== 'final' && (open.length > 0 || this.hasQueued)) this.#drop(open)
    if (open.length > 0) return
    this.#isOver = true
    this.#hooks.over(end)
  }

  #drop(keys: readonly string[]): void {
    const hasQueued = this.hasQueued
    this.#sent.unqueue()
    this.#hooks.drop(keys, hasQueued)
  }

  #call(callId: string, tool: string, input: unknown): void {
    if (this.#openCalls.has(callId)) return
    this.#openCalls.set(callId, tool)
    this.tell({ type: 'tool-call', callId, tool, input, ...asksPerson(tool, input) })
  }

  #ask(asked: Extract<Signal, { type: 'approval-asked' }>): void {
    const { approvalId, callId, command, cwd, reason, mayAlwaysAllow } = asked
    if (this.#approvals.has(approvalId)) return
    this.#approvals.set(approvalId, 'open')
    this.#call(callId, 'exec', { command })
    const tool = this.#openCalls.get(callId) ?? 'exec'
    this.tell({ type: 'approval-request', approvalId, callId, tool, action: command, cwd, reason, mayAlwaysAllow })
  }

  #approvalOver(approvalId: string): void {
    if ((this.#approvals.get(approvalId) ?? 'over') === 'over') return
    this.#approvals.set(approvalId, 'over')
    this.tell({ type: 'status', state: 'approval-answered', approvalId })
  }
}
