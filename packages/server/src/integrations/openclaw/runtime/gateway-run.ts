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
 * One of our runs, which may be several runs at the Gateway: a late steering prompt starts its own run, and a prompt
 * that finds the session busy is answered under an id that the Gateway chooses. Converts the session's signals to the
 * run's events.
 */
export class GatewayRun {
  readonly events = new SingleConsumerQueue<RuntimeEvent>()
  readonly #runId: string
  readonly #hooks: RunHooks
  readonly #sent = new SentPrompts()
  /** The Gateway runs that belong to this run. */
  readonly #members = new Set<string>()
  readonly #underWay = new Set<string>()
  readonly #openCalls = new Map<string, string>()
  readonly #approvals = new Map<string, 'open' | 'answered' | 'over'>()
  readonly #rows = new Set<string>()
  readonly #spoken = new SpokenMessages()
  #sessionId: string | null = null
  #seq = 0
  #modelCalls = 0
  /** A queued prompt is now in the record, so the next run in this session answers it. */
  #expectsRun = false
  /** An active run of unknown origin: the run of a queued prompt may start before its row is stored. */
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

  /** The Gateway ids that have not ended, newest first. */
  get unsettled(): readonly string[] {
    return [...new Set([...this.#sent.openKeys, ...this.#underWay])].reverse()
  }

  /** Whether a prompt waits behind a run, without an id that could be aborted. */
  get hasQueued(): boolean {
    return this.#sent.hasQueued
  }

  /** Whether rows of model calls are missing. */
  get lacksRows(): boolean {
    return this.#rows.size < this.#modelCalls
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether an accepted prompt has not reached the agent. */
  get hasUndelivered(): boolean {
    return this.#sent.undelivered.length > 0
  }

  send(prompt: Prompt, key: string): void {
    this.#sent.add(prompt, key)
    this.#members.add(key)
  }

  /** Removes a prompt that the Gateway did not accept. */
  unsend(key: string): void {
    this.#sent.remove(key)
    this.#checkEnd()
  }

  emit(body: RuntimeEventBody): void {
    const head = { runId: this.#runId, sessionId: this.#sessionId, ts: Date.now(), seq: ++this.#seq }
    this.events.push({ ...head, ...body })
  }

  take(signal: Signal): void {
    if (this.#isOver || signal.type === 'resumed' || signal.type === 'failed') return
    if (signal.type === 'prompt-stored') this.#promptStored(signal.key, signal.into)
    else if (signal.type === 'prompts-collected') this.#collected(signal.text)
    else if (signal.type === 'approval-over') this.#approvalOver(signal.approvalId)
    else if (signal.type === 'run-started') this.#begin(signal.runId, signal.sessionId)
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
    this.emit({ type: 'cost', model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd })
  }

  /** Closes an approval. Returns true if it was open. */
  takeApproval(approvalId: string): boolean {
    if (this.#isOver || this.#approvals.get(approvalId) !== 'open') return false
    this.#approvals.set(approvalId, 'answered')
    return true
  }

  /** Whether the approval was requested, in any state. */
  wasAsked(approvalId: string): boolean {
    return this.#approvals.has(approvalId)
  }

  isMember(runId: string): boolean {
    return this.#members.has(runId)
  }

  /** Whether nothing has reached the agent, so that the run can be sent again. */
  get isUntouched(): boolean {
    return this.#sent.areUntouched && this.#modelCalls === 0
  }

  /** Removes and returns all sent prompts in order: each must be sent again. */
  restart(): readonly Prompt[] {
    this.#end = null
    this.#isOver = false
    return this.#sent.clear()
  }

  /** Marks prompts that could not be sent again, so that the last event returns them. */
  returnUnsent(prompts: readonly Prompt[]): void {
    for (const prompt of prompts) this.#sent.addUnsent(prompt)
  }

  /** Emits the last event. Later signals are ignored. */
  close(
    end: { readonly outcome: 'completed' | 'aborted'; readonly detail?: string } | { readonly fault: Fault },
  ): void {
    if (this.events.ended) return
    this.#isOver = true
    const { undelivered } = this.#sent
    if ('fault' in end) this.emit({ type: 'error', fatal: true, ...end.fault, undelivered })
    else {
      const { outcome, detail } = end
      const text = this.#spoken.last ?? this.#end?.text ?? ''
      this.emit({ type: 'done', outcome, reason: null, text, undelivered, ...(detail ? { detail } : {}) })
    }
    this.events.end()
  }

  #takeWork(
    signal: Extract<
      Signal,
      { type: 'text' | 'whole-text' | 'thought' | 'tool-called' | 'tool-ended' | 'approval-asked' }
    >,
  ) {
    // The model has received the prompt, so it is stored.
    this.#reportStored(this.#sent.first?.key ?? '')
    if (signal.type === 'text') this.#say(this.#spoken.add(signal.message, signal.text))
    else if (signal.type === 'whole-text') this.#say(this.#spoken.addWhole(signal.message, signal.text))
    else if (signal.type === 'thought') {
      this.emit({ type: 'reasoning-delta', message: this.#spoken.next, text: signal.text })
    } else if (signal.type === 'tool-called') this.#call(signal.callId, signal.tool, signal.input)
    else if (signal.type === 'approval-asked') this.#ask(signal)
    else if (this.#openCalls.delete(signal.callId)) {
      const { callId, tool, text, isError } = signal
      this.emit({ type: 'tool-result', callId, tool, text, isError })
    }
  }

  #say(piece: Piece | null): void {
    if (piece) this.emit({ type: 'text-delta', ...piece })
  }

  #modelCalled(model: string): void {
    this.#modelCalls += 1
    this.#spoken.nextCall()
    this.emit({ type: 'status', state: 'model-call', detail: model })
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

  #reportStored(key: string): void {
    for (const { id, text } of this.#sent.markStored(key))
      this.emit({ type: 'status', state: 'prompt-delivered', promptId: id, detail: text })
  }

  #ended(runId: string, { how, text, problem }: UpstreamEnd): void {
    const sent = this.#sent.find(runId)
    if (sent?.isOver) return
    if (sent) sent.isOver = true
    if (how === 'aborted') this.#say(this.#spoken.addCutOff(text ?? ''))
    const hadBegun = this.#underWay.delete(runId)
    const isEmpty = !hadBegun && text === null
    if (isEmpty && how === 'final' && sent && !sent.isStored) sent.isQueued = true
    // A steering prompt that joined another run, or was withdrawn before it was stored, does not end the run.
    else if (!isEmpty || (how !== 'final' && (sent === this.#sent.first || sent?.isStored)))
      this.#endWith({ how, text, problem })
    this.#checkEnd()
  }

  /** A failure aborts the prompts that wait behind it; those aborts must not hide the failure. */
  #endWith(end: UpstreamEnd): void {
    if (this.#end?.how !== 'error' || end.how !== 'aborted') this.#end = end
  }

  #collected(text: string): void {
    const taken = this.#sent.queuedIn(text)
    for (const sent of taken) {
      sent.isQueued = false
      this.#reportStored(sent.key)
    }
    if (taken.length > 0) this.#expectRun()
  }

  #promptStored(key: string, into: string | null): void {
    const sent = this.#sent.find(key)
    const wasQueued = sent?.isQueued === true
    if (sent) sent.isQueued = false
    if (wasQueued && (into === null || !this.#members.has(into))) this.#expectRun()
    this.#reportStored(key)
    this.#checkEnd()
  }

  #expectRun(): void {
    if (this.#stranger !== null) this.#adopt(this.#stranger)
    else this.#expectsRun = true
  }

  #checkEnd(): void {
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
    this.emit({ type: 'tool-call', callId, tool, input, ...asksPerson(tool, input) })
  }

  #ask(asked: Extract<Signal, { type: 'approval-asked' }>): void {
    const { approvalId, callId, command, cwd, reason, mayAlwaysAllow } = asked
    if (this.#approvals.has(approvalId)) return
    this.#approvals.set(approvalId, 'open')
    this.#call(callId, 'exec', { command })
    const tool = this.#openCalls.get(callId) ?? 'exec'
    this.emit({ type: 'approval-request', approvalId, callId, tool, action: command, cwd, reason, mayAlwaysAllow })
  }

  #approvalOver(approvalId: string): void {
    if ((this.#approvals.get(approvalId) ?? 'over') === 'over') return
    this.#approvals.set(approvalId, 'over')
    this.emit({ type: 'status', state: 'approval-answered', approvalId })
  }
}
