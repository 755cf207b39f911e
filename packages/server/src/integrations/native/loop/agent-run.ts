import type { DoneEvent, ErrorEvent, LimitTripped, Prompt, RunGuard } from '@clawboo/core/executor'
import { isSilentReply } from '../prompt/silent-reply.ts'
import type { AssistantMessage, Message, ToolCallContent } from '../session/message.ts'
import { askGuard } from './ask-guard.ts'
import type { Answer, LoopContext, LoopModel, LoopRepeatGuard, LoopSession, LoopText, LoopTools } from './loop-ports.ts'
import type { RunApprovals } from './run-approvals.ts'
import type { RunEvents } from './run-events.ts'
import type { RunGate } from './run-gate.ts'
import { runTools } from './run-tools.ts'

export interface AgentRun {
  readonly prompt: Prompt
  readonly gate: RunGate
  readonly events: RunEvents
  readonly approvals: RunApprovals
  readonly guard: RunGuard
  readonly session: LoopSession
  readonly context: LoopContext
  readonly model: LoopModel
  readonly tools: LoopTools
  readonly text: LoopText
  readonly repeats: LoopRepeatGuard
  /** Stops anything that must not outlive the run. Called before the last event. Never rejects. */
  readonly stopLeftovers?: () => Promise<void>
  readonly signal: AbortSignal
  readonly now: () => number
}

type End =
  | Pick<DoneEvent, 'outcome' | 'reason' | 'detail'>
  | (Pick<ErrorEvent, 'reason' | 'message'> & { readonly outcome: 'failed' })

/** The newest message of the run: its index and its text so far. */
interface Reply {
  message: number
  text: string
}

const ABORTED: End = { outcome: 'aborted', reason: null }
const SHRINK_TRIES = 3

/**
 * The loop: deliver the prompts, call the model, run its tools, and repeat until the model asks for no more tools. Never
 * rejects. Once the gate is closed the outcome is final: nothing that happens later, not even an abort, changes it.
 */
export async function driveRun(run: AgentRun): Promise<void> {
  const reply: Reply = { message: 0, text: '' }
  let end: End | null = null
  try {
    await deliver(run, [run.prompt])
    while (end === null) end = await advanceRun(run, reply)
    if (!run.gate.closed) await run.session.sync()
  } catch (error) {
    // Only the transcript rejects: models, tools and guards report failures as values.
    end = { outcome: 'failed', reason: 'session_unwritable', message: messageOf(error) }
  }
  await run.stopLeftovers?.()
  if (run.signal.aborted && !run.gate.closed) end = ABORTED
  const unstored = run.session.hasMessage(run.prompt.id) ? [] : [run.prompt.id]
  const undelivered = [...unstored, ...run.gate.close()]
  if (end.outcome === 'failed') {
    run.events.end({ type: 'error', fatal: true, reason: end.reason, message: end.message, undelivered })
  } else {
    run.events.end({ type: 'done', ...end, text: reply.text, undelivered })
  }
}

/** Makes one model call and runs the tools it asked for. Returns null while the run is not over. */
async function advanceRun(run: AgentRun, reply: Reply): Promise<End | null> {
  if (run.signal.aborted) return ABORTED
  await deliver(run, run.gate.waiting)
  const answer = await callModel(run, reply)
  if (answer.kind !== 'answered') return answer.end

  await run.session.append([answer.message])
  reply.text = textOf(answer.message)
  reply.message += 1
  emitCost(run, answer.message, answer.contextWindowTokens)
  const calls = answer.message.content.filter((part): part is ToolCallContent => part.type === 'toolCall')
  if (calls.length === 0) {
    await run.session.sync()
    if (run.signal.aborted) return ABORTED
    // A steer that arrived during this last answer still gets an answer in this run.
    return run.gate.closeWhenEmpty() ? { outcome: 'completed', reason: null } : null
  }
  const results = await runTools({ ...run, calls })
  if (run.signal.aborted) return ABORTED
  const verdict = run.repeats.observe(calls, results)
  if (verdict.kind === 'stop') return { outcome: 'stopped', reason: verdict.reason, detail: verdict.detail }
  if (verdict.warning) run.events.emit({ type: 'status', state: 'notice', detail: verdict.warning })
  return null
}

/** Appends prompts to the transcript, in order. Skips a prompt that was already stored before a crash. */
async function deliver(run: AgentRun, prompts: readonly Prompt[]): Promise<void> {
  if (prompts.length === 0) return
  const fresh = prompts.filter((prompt) => !run.session.hasMessage(prompt.id))
  const messages = fresh.map(
    (prompt): Message => ({
      role: 'user',
      content: [{ type: 'text', text: prompt.text }],
      messageId: prompt.id,
      timestamp: run.now(),
    }),
  )
  if (messages.length > 0) await run.session.append(messages)
  if (prompts[0] !== run.prompt) run.gate.delivered(prompts.length)
  for (const prompt of prompts)
    run.events.emit({ type: 'status', state: 'prompt-delivered', promptId: prompt.id, detail: prompt.text })
}

type ModelCallOutcome =
  | {
      readonly kind: 'answered'
      readonly message: AssistantMessage
      readonly contextWindowTokens: number | null
    }
  | { readonly kind: 'ended'; readonly end: End }

async function callModel(run: AgentRun, reply: Reply): Promise<ModelCallOutcome> {
  for (let tries = 0; ; tries += 1) {
    const prepared = await run.context.prepare(run.signal)
    if (run.signal.aborted) return { kind: 'ended', end: ABORTED }
    if (prepared.kind === 'stopped') return { kind: 'ended', end: { outcome: 'stopped', ...prepared.because } }
    if (prepared.kind === 'too-large') return failed('context_overflow', prepared.message)
    // Ask after `prepare`, because a compaction may just have used up the budget.
    const tripped = await askGuard(run.guard, run.events.seq, run.signal)
    if (run.signal.aborted) return { kind: 'ended', end: ABORTED }
    if (tripped)
      return { kind: 'ended', end: { outcome: 'stopped', reason: tripped.reason, detail: describeLimit(tripped) } }
    run.events.emit({ type: 'status', state: 'model-call' })
    const streamed = await streamAnswer(run, reply, prepared.messages)
    if (streamed.kind === 'answered') return { ...streamed, message: assistantMessage(streamed, run.now()) }
    await emitInterruptedCost(run, streamed, prepared.messages)
    if (streamed.kind === 'aborted') {
      await keepPartialAnswer(run, streamed)
      reply.text = streamed.text || reply.text
      return { kind: 'ended', end: ABORTED }
    }
    if (!streamed.overflow) return failed('model_failed', streamed.message)
    if (tries >= SHRINK_TRIES || !(await run.context.shrink(run.signal)))
      return failed('context_overflow', streamed.message)
  }
}

/** The provider charges for an answer that was cut off, but not for one that never started. */
async function emitInterruptedCost(
  run: AgentRun,
  call: Exclude<StreamedAnswer, { kind: 'answered' }>,
  messages: readonly Message[],
): Promise<void> {
  const { provider, model, text } = call
  if (provider === '' || (call.kind === 'failed' && text === '') || !run.model.estimatePartialUsage) return
  const usage = await run.model.estimatePartialUsage(messages, { provider, model }, text)
  emitCost(run, { usage, provider, model }, null)
}

function failed(reason: 'context_overflow' | 'model_failed', message: string): ModelCallOutcome {
  return { kind: 'ended', end: { outcome: 'failed', reason, message } }
}

/** Stores the text received before the abort. A tool call that was cut off is never stored. */
async function keepPartialAnswer(run: AgentRun, { text, model, provider }: StreamedAnswer & { kind: 'aborted' }) {
  if (text === '') return
  const message: AssistantMessage = {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider,
    model,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costUsd: null },
    stopReason: 'aborted',
    timestamp: run.now(),
  }
  await run.session.append([message])
}

function assistantMessage(answer: StreamedAnswer & { kind: 'answered' }, timestamp: number): AssistantMessage {
  const { content, provider, model, usage, stopReason } = answer
  return { role: 'assistant', content, provider, model, usage, stopReason, timestamp }
}

function emitCost(
  run: AgentRun,
  { usage, provider, model }: Pick<AssistantMessage, 'usage' | 'provider' | 'model'>,
  contextWindowTokens: number | null,
) {
  run.events.emit({
    type: 'cost',
    model: `${provider}/${model}`,
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    costUsd: usage.costUsd,
    contextTokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
    ...(contextWindowTokens === null ? {} : { contextWindowTokens }),
  })
}

/** The text to show a person. A silent reply shows as an empty text. */
function textOf(message: AssistantMessage): string {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return isSilentReply(text) ? '' : text
}

function describeLimit({ reason, scope, figure, cap }: LimitTripped): string {
  const measure = reason.replace('_limit', '').replaceAll('_', ' ')
  return `${measure} of this ${scope}: ${round(figure)} of ${round(cap)}`
}

function round(figure: number): number {
  return Math.round(figure * 10_000) / 10_000
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type StreamedAnswer =
  | ({ readonly kind: 'answered' } & Answer)
  | { readonly kind: 'aborted'; readonly text: string; readonly provider: string; readonly model: string }
  | {
      readonly kind: 'failed'
      readonly overflow: boolean
      readonly message: string
      readonly text: string
      readonly provider: string
      readonly model: string
    }

/** Streams one answer. Checks for an abort before reporting a failure, because an abort can cause one. */
async function streamAnswer(
  run: {
    readonly model: LoopModel
    readonly events: RunEvents
    readonly text: LoopText
    readonly signal: AbortSignal
  },
  reply: { message: number },
  messages: readonly Message[],
): Promise<StreamedAnswer> {
  const { events, signal } = run
  let text = ''
  let ref = { provider: '', model: '' }
  for await (const event of run.model.answer(messages, signal)) {
    if (signal.aborted) break
    switch (event.t) {
      case 'attempt':
        // A new try starts from the beginning, so readers of the stream get it as a new message.
        if (text !== '') reply.message += 1
        text = ''
        ref = { provider: event.provider, model: event.model }
        break
      case 'text':
        run.text.delta(reply.message, event.delta)
        text += event.delta
        break
      case 'thinking':
        events.emit({ type: 'reasoning-delta', message: reply.message, text: event.delta })
        break
      case 'notice':
        events.emit({ type: 'status', state: event.state, detail: event.detail })
        break
      case 'failed':
        return { kind: 'failed', overflow: event.overflow, message: event.message, text, ...ref }
      case 'done':
        run.text.end(reply.message)
        return { ...event, kind: 'answered' }
    }
  }
  if (signal.aborted) return { kind: 'aborted', text, ...ref }
  return { kind: 'failed', overflow: false, message: 'the model ended without an answer', text, ...ref }
}
