import type { DoneEvent, ErrorEvent, LimitTripped, Prompt, RunGuard } from '@clawboo/core/executor'
import { isSilentReply } from '../prompt/silent-reply.ts'
import type { AssistantMessage, Message, ToolCallContent } from '../session/message.ts'
import { askGuard } from './ask-guard.ts'
import type { LoopContext, LoopModel, LoopRepeatGuard, LoopSession, LoopText, LoopTools } from './loop-ports.ts'
import type { RunApprovals } from './run-approvals.ts'
import type { RunEvents } from './run-events.ts'
import type { RunGate } from './run-gate.ts'
import { runTools } from './run-tools.ts'
import { type StreamedAnswer, streamAnswer } from './stream-answer.ts'

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
  /** Ends what must not go on after the run. Before its last event. Never rejects. */
  readonly letGo?: () => Promise<void>
  readonly signal: AbortSignal
  readonly now: () => number
}

type End =
  | Pick<DoneEvent, 'outcome' | 'reason' | 'detail'>
  | (Pick<ErrorEvent, 'reason' | 'message'> & { readonly outcome: 'failed' })

const ABORTED: End = { outcome: 'aborted', reason: null }
const SHRINK_TRIES = 3

/**
 * The loop: deliver what was said, call the model, run its tools, and again, until it has nothing more to do. Never
 * rejects. A closed gate is a decided run: nothing that comes later, an abort included, changes how it ended.
 */
export async function driveRun(run: AgentRun): Promise<void> {
  const spoken = { message: 0, text: '' }
  let end: End | null = null
  try {
    await deliver(run, [run.prompt])
    while (end === null) end = await takeTurn(run, spoken)
    if (!run.gate.closed) await run.session.sync()
  } catch (error) {
    // Only the session's file rejects: models, tools and guards report in their own way.
    end = { outcome: 'failed', reason: 'session_unwritable', message: messageOf(error) }
  }
  await run.letGo?.()
  if (run.signal.aborted && !run.gate.closed) end = ABORTED
  const missed = run.session.hasMessage(run.prompt.id) ? [] : [run.prompt.id]
  const undelivered = [...missed, ...run.gate.close()]
  if (end.outcome === 'failed') {
    run.events.end({ type: 'error', fatal: true, reason: end.reason, message: end.message, undelivered })
  } else {
    run.events.end({ type: 'done', ...end, text: spoken.text, undelivered })
  }
}

/** One model call and its tools. null = there is more to do. */
async function takeTurn(run: AgentRun, spoken: { message: number; text: string }): Promise<End | null> {
  if (run.signal.aborted) return ABORTED
  await deliver(run, run.gate.waiting)
  const answer = await askModel(run, spoken)
  if (answer.kind !== 'answered') return answer.end

  await run.session.append([answer.message])
  spoken.text = textOf(answer.message)
  spoken.message += 1
  emitCost(run, answer.message, answer.contextWindowTokens)
  const calls = answer.message.content.filter((part): part is ToolCallContent => part.type === 'toolCall')
  if (calls.length === 0) {
    await run.session.sync()
    if (run.signal.aborted) return ABORTED
    // A steer that came during this last answer gets a turn of its own.
    return run.gate.closeWhenEmpty() ? { outcome: 'completed', reason: null } : null
  }
  const results = await runTools({ ...run, calls })
  if (run.signal.aborted) return ABORTED
  const verdict = run.repeats.observe(calls, results)
  if (verdict.kind === 'stop') return { outcome: 'stopped', reason: verdict.reason, detail: verdict.detail }
  if (verdict.warning) run.events.emit({ type: 'status', state: 'notice', detail: verdict.warning })
  return null
}

/** Puts prompts into the transcript, in order. One that is already there, from before a crash, is not put there again. */
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

type Asked =
  | {
      readonly kind: 'answered'
      readonly message: AssistantMessage
      readonly contextWindowTokens: number | null
    }
  | { readonly kind: 'ended'; readonly end: End }

async function askModel(run: AgentRun, spoken: { message: number; text: string }): Promise<Asked> {
  for (let tries = 0; ; tries += 1) {
    const prepared = await run.context.prepare(run.signal)
    if (run.signal.aborted) return { kind: 'ended', end: ABORTED }
    if (prepared.kind === 'stopped') return { kind: 'ended', end: { outcome: 'stopped', ...prepared.because } }
    if (prepared.kind === 'too-large') return failed('context_overflow', prepared.message)
    // Here, because a compaction may just have spent what was left.
    const tripped = await askGuard(run.guard, run.events.seq, run.signal)
    if (run.signal.aborted) return { kind: 'ended', end: ABORTED }
    if (tripped)
      return { kind: 'ended', end: { outcome: 'stopped', reason: tripped.reason, detail: limitWords(tripped) } }
    run.events.emit({ type: 'status', state: 'model-call' })
    const streamed = await streamAnswer(run, spoken, prepared.messages)
    if (streamed.kind === 'answered') return { ...streamed, message: assistantMessage(streamed, run.now()) }
    await countBrokenCall(run, streamed, prepared.messages)
    if (streamed.kind === 'aborted') {
      await keepPartialAnswer(run, streamed)
      spoken.text = streamed.text || spoken.text
      return { kind: 'ended', end: ABORTED }
    }
    if (!streamed.overflow) return failed('model_failed', streamed.message)
    if (tries >= SHRINK_TRIES || !(await run.context.shrink(run.signal)))
      return failed('context_overflow', streamed.message)
  }
}

/** An answer that was cut off was paid for all the same. One that never began was not. */
async function countBrokenCall(
  run: AgentRun,
  call: Exclude<StreamedAnswer, { kind: 'answered' }>,
  messages: readonly Message[],
): Promise<void> {
  const { provider, model, text } = call
  if (provider === '' || (call.kind === 'failed' && text === '') || !run.model.usageOfPart) return
  const usage = await run.model.usageOfPart(messages, { provider, model }, text)
  emitCost(run, { usage, provider, model }, null)
}

function failed(reason: 'context_overflow' | 'model_failed', message: string): Asked {
  return { kind: 'ended', end: { outcome: 'failed', reason, message } }
}

/** What was already said stays in the conversation; a call that was cut off never does. */
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

/** What a person is shown: an answer that says it is none is none. */
function textOf(message: AssistantMessage): string {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return isSilentReply(text) ? '' : text
}

function limitWords({ reason, scope, figure, cap }: LimitTripped): string {
  const what = reason.replace('_limit', '').replaceAll('_', ' ')
  return `${what} of this ${scope}: ${round(figure)} of ${round(cap)}`
}

function round(figure: number): number {
  return Math.round(figure * 10_000) / 10_000
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
