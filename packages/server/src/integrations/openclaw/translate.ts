import type { ApprovalAnswer, CostEvent } from '@clawboo/core/executor'
import { count, type GatewayFrame, list, object, text } from './gateway/gateway-frames.ts'

/**
 * The meaning of a frame for a run, the same for every Gateway release. Only this file handles the differences between
 * releases.
 */
export type Signal = {
  readonly sessionKey: string
} & (
  | { readonly type: 'run-started'; readonly runId: string; readonly sessionId: string }
  | { readonly type: 'model-called'; readonly runId: string; readonly model: string }
  /** `text` is the whole message so far; a different `message` is a new message. */
  | { readonly type: 'text'; readonly runId: string; readonly message: string; readonly text: string }
  /** A complete message before a tool call. Its text may already have arrived as `text` under another id. */
  | { readonly type: 'whole-text'; readonly runId: string; readonly message: string; readonly text: string }
  | { readonly type: 'thought'; readonly runId: string; readonly text: string }
  | {
      readonly type: 'tool-called'
      readonly runId: string
      readonly callId: string
      readonly tool: string
      readonly input: unknown
    }
  | ToolEnded
  | ApprovalAsked
  | { readonly type: 'approval-over'; readonly approvalId: string }
  /** A prompt is in the Gateway's record; `into` names the active run that it joined. */
  | { readonly type: 'prompt-stored'; readonly key: string; readonly into: string | null }
  /** After a restart the Gateway resumes an interrupted run under a new id. */
  | { readonly type: 'resumed'; readonly runId: string }
  /** Queued prompts are in the record as one text. */
  | { readonly type: 'prompts-collected'; readonly text: string }
  | ({ readonly type: 'spent' } & Spent)
  /** The run failed or is retried; the next signal shows which. Older releases send nothing more. */
  | { readonly type: 'failed'; readonly runId: string; readonly problem: string }
  | RunOver
)

type ToolEnded = {
  readonly type: 'tool-ended'
  readonly runId: string
  readonly callId: string
  readonly tool: string
  readonly text: string
  readonly isError: boolean
}

/** An approval request of any run, ours or not. */
export type ApprovalSignal = Extract<Signal, { type: 'approval-asked' }>

type ApprovalAsked = {
  readonly type: 'approval-asked'
  readonly runId: string
  /** The Gateway's id of the agent. */
  readonly agentId: string
  /** The trigger of the run; empty when not sent. */
  readonly origin: string
  readonly approvalId: string
  readonly callId: string
  readonly command: string
  readonly cwd: string
  readonly reason: string
  readonly mayAlwaysAllow: boolean
  readonly answers: readonly ApprovalAnswer[]
  /** By the Gateway's clock; 0 when not sent. */
  readonly askedAt: number
  readonly expiresAt: number
}

export type RunOver = {
  readonly type: 'over'
  readonly runId: string
  readonly how: 'final' | 'aborted' | 'error'
  /** null: this id has no text, because the prompt joined another run or waits for one. */
  readonly text: string | null
  readonly problem: string
}

/** One model call, from its row at the Gateway. */
export interface Spent extends Omit<CostEvent, 'type' | 'contextTokens' | 'contextWindowTokens'> {
  readonly rowId: string
  readonly runId: string
}

/**
 * Translates a connection's frames in order. Older releases omit the run of a row or approval and the start of a
 * message; these are derived from the active runs of the session.
 */
export function createTranslator(): (frame: GatewayFrame) => readonly Signal[] {
  const bySession = new Map<string, UnderWay>()
  return (frame) =>
    translate(frame).map((signal) => {
      if (signal.type === 'run-started')
        bySession.set(signal.sessionKey, { ...signal, messages: 0, commands: new Map() })
      const underWay = bySession.get(signal.sessionKey)
      if (!underWay) return signal
      if (signal.type === 'over' && signal.runId === underWay.runId) bySession.delete(signal.sessionKey)
      return completed(signal, underWay)
    })
}

interface UnderWay {
  readonly runId: string
  /** The number of messages so far; a tool call separates two messages. */
  messages: number
  readonly commands: Map<string, string>
}

function completed(signal: Signal, underWay: UnderWay): Signal {
  const { runId, commands } = underWay
  switch (signal.type) {
    case 'tool-called':
      underWay.messages += 1
      commands.set(signal.callId, text(object(signal.input).command))
      return signal
    case 'tool-ended':
      commands.delete(signal.callId)
      return signal
    case 'text':
      return signal.message ? signal : { ...signal, message: `${signal.runId}:${underWay.messages}` }
    case 'spent':
      return signal.runId ? signal : { ...signal, runId }
    case 'approval-asked': {
      const open = [...commands].findLast(([, command]) => command === signal.command)?.[0]
      return { ...signal, runId: signal.runId || runId, callId: signal.callId || open || signal.approvalId }
    }
    default:
      return signal
  }
}

/** Translates one frame without context. */
export function translate({ event, payload }: GatewayFrame): readonly Signal[] {
  const frame = object(payload)
  if (event === 'agent') return ofAgent(frame)
  if (event === 'chat') return ofChat(frame)
  if (event === 'session.message') return ofRow(object(frame.message), text(frame.sessionKey))
  if (event === 'exec.approval.requested') return ofApproval(frame)
  if (event === 'exec.approval.resolved') {
    const sessionKey = text(object(frame.request).sessionKey)
    return [{ type: 'approval-over', sessionKey, approvalId: text(frame.id) }]
  }
  return []
}

type Fields = Readonly<Record<string, unknown>>

function ofAgent(frame: Fields): readonly Signal[] {
  const at = { sessionKey: text(frame.sessionKey), runId: text(frame.runId) }
  const data = object(frame.data)
  switch (frame.stream) {
    case 'lifecycle':
      if (data.phase === 'start') return [{ type: 'run-started', ...at, sessionId: text(frame.sessionId) }]
      if (data.phase === 'error') return [{ type: 'failed', ...at, problem: text(data.error) }]
      if (data.phase !== 'model' || !text(data.model)) return []
      return [{ type: 'model-called', ...at, model: modelOf(data) }]
    case 'assistant': {
      if (typeof data.text !== 'string') return []
      return [{ type: 'text', ...at, message: text(data.itemId), text: data.text }]
    }
    case 'item': {
      if (data.kind !== 'preamble' || data.phase !== 'end' || !text(data.progressText)) return []
      return [{ type: 'whole-text', ...at, message: text(data.itemId), text: text(data.progressText) }]
    }
    case 'thinking':
    case 'reasoning':
      return text(data.delta) ? [{ type: 'thought', ...at, text: text(data.delta) }] : []
    case 'tool': {
      const call = { ...at, callId: text(data.toolCallId), tool: text(data.name) }
      if (data.phase === 'start') return [{ type: 'tool-called', ...call, input: data.args ?? {} }]
      if (data.phase !== 'result') return []
      const { content, details } = object(data.result)
      // Older releases report a denied command as successful and show the denial only here.
      const isError = data.isError === true || object(details).status === 'failed'
      return [{ type: 'tool-ended', ...call, text: textOf(content), isError }]
    }
    default:
      return []
  }
}

function ofChat(frame: Fields): readonly Signal[] {
  const { state, message, errorMessage, stopReason } = frame
  if (state !== 'final' && state !== 'aborted' && state !== 'error') return []
  // Sent when the model answered nothing; an `error` with the same text follows.
  const isMute = state === 'aborted' && stopReason === 'stop'
  const said = message === undefined || message === null ? null : textOf(object(message).content)
  const at = { sessionKey: text(frame.sessionKey), runId: text(frame.runId) }
  const problem = text(errorMessage) || (isMute ? 'the agent gave no answer' : '')
  return [{ type: 'over', ...at, how: isMute ? 'error' : state, text: said, problem }]
}

function ofApproval(frame: Fields): readonly Signal[] {
  const request = object(frame.request)
  const sessionKey = text(request.sessionKey)
  const answers = ANSWERS.filter((answer) => list(request.allowedDecisions).includes(answer))
  return [
    {
      type: 'approval-asked',
      sessionKey,
      runId: text(request.runId),
      agentId: text(request.agentId) || (sessionKey.split(':', 2)[1] ?? ''),
      origin: originOf(request, sessionKey),
      approvalId: text(frame.id),
      callId: text(request.toolCallId),
      command: text(request.command),
      cwd: text(request.cwd),
      reason: text(request.warningText) || reasonOf(text(request.security), text(request.ask)),
      mayAlwaysAllow: answers.includes('allow-always'),
      answers: answers.length > 0 ? answers : ['allow-once', 'deny'],
      askedAt: count(frame.createdAtMs),
      expiresAt: count(frame.expiresAtMs),
    },
  ]
}

const ANSWERS = ['allow-once', 'allow-always', 'deny'] as const satisfies readonly ApprovalAnswer[]

function reasonOf(security: string, ask: string): string {
  if (ask === 'always') return 'the Gateway asks before every command'
  if (security === 'allowlist') return 'it is not on the Gateway’s list'
  return `the Gateway asks (${security || 'its rules'})`
}

function originOf({ cronExecutionSource, turnSourceChannel }: Fields, sessionKey: string): string {
  if (sessionKey.includes(':subagent:')) return 'a subagent'
  if (cronExecutionSource || sessionKey.includes(':cron:')) return 'a scheduled job'
  return text(turnSourceChannel)
}

function ofRow(row: Fields, sessionKey: string): readonly Signal[] {
  const key = promptKeyOf(row)
  const resumed = resumedRunOf(row)
  if (resumed !== null) return [{ type: 'resumed', sessionKey, runId: resumed }]
  if (row.role === 'user' && text(row.idempotencyKey).startsWith('followup-collect:'))
    return [{ type: 'prompts-collected', sessionKey, text: textOf(row.content) }]
  if (key !== null) {
    const into = text(object(row.__openclaw).steerTargetRunId) || null
    return [{ type: 'prompt-stored', sessionKey, key, into }]
  }
  const spent = spentOf(row)
  return spent ? [{ type: 'spent', sessionKey, ...spent }] : []
}

/** The key of our prompt in a history row; null for any other row. */
export function promptKeyOf(row: Fields): string | null {
  const key = text(row.idempotencyKey)
  return row.role === 'user' && key.endsWith(':user') ? key.slice(0, -':user'.length) : null
}

const RESUMED = '[System] Your previous turn was interrupted by a gateway restart'

/** The run that a history row resumed; null for any other row. */
export function resumedRunOf(row: Fields): string | null {
  return row.role === 'user' && textOf(row.content).startsWith(RESUMED) ? promptKeyOf(row) : null
}

/** The cost of a history row; null unless a model answered in it. */
export function spentOf(row: Fields): Spent | null {
  const { role, usage } = row
  const tokens = object(usage)
  const [input, output] = [count(tokens.input), count(tokens.output)]
  const [cacheReadTokens, cacheWriteTokens] = [count(tokens.cacheRead), count(tokens.cacheWrite)]
  const inputTokens = input + cacheReadTokens + cacheWriteTokens
  if (role !== 'assistant' || inputTokens + output === 0) return null
  const { runId, id } = object(row.__openclaw)
  return {
    rowId: text(id),
    runId: text(runId),
    model: modelOf(row),
    ...{ inputTokens, outputTokens: output, cacheReadTokens, cacheWriteTokens },
    // The Gateway reports 0 for a model without a configured price.
    costUsd: count(object(tokens.cost).total) || null,
  }
}

function modelOf({ provider, model }: Fields): string {
  return text(provider) ? `${text(provider)}/${text(model)}` : text(model)
}

/** Content is a text or a list of parts, some of which are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => (object(part).type === 'text' ? text(object(part).text) : ''))
    .join('')
}
