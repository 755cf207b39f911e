import type { Json, RecordedFrame } from './test-recordings.ts'

const KEY = 'agent:main:written'
const FIRST = 'written-first'
const SECOND = 'written-second'
const SUPERSEDED = 'Error: prepared model runtime plugin generation was superseded for <dir>/state/agents/main/agent'

/** Hand-written runs that follow a real Gateway's behaviour. A recording with the same name replaces them. */
export const WRITTEN_RECORDINGS: Readonly<Record<string, readonly RecordedFrame[]>> = {
  /** Never ends. */
  hang: [...sent(FIRST), ...started(FIRST), modelCall(FIRST), answerText(FIRST, 'Half a ')],

  /** The second prompt arrives while the first prompt's tool is held. */
  'steer-in-tool': [
    ...sent(FIRST),
    ...started(FIRST),
    modelCall(FIRST),
    tool(FIRST, 'call_1', { phase: 'start', args: { command: 'hold' } }),
    ...sent(SECOND),
    tool(FIRST, 'call_1', { phase: 'result', isError: false, result: { content: [textPart('released')] } }),
    chat(SECOND, { state: 'final' }),
    kept(SECOND),
    modelCall(FIRST),
    answerText(FIRST, 'Steered answer.'),
    row(FIRST, 'row-1', 'Steered answer.'),
    lifecycle(FIRST, { phase: 'end' }),
    chat(FIRST, { state: 'final', message: assistant('Steered answer.') }),
  ],

  /** The second prompt comes too late to steer and is withdrawn before it is in the record. */
  'steer-late-withdrawn': [
    ...sent(FIRST),
    ...started(FIRST),
    modelCall(FIRST),
    answerText(FIRST, 'The whole answer.'),
    ...sent(SECOND),
    lifecycle(FIRST, { phase: 'end' }),
    chat(FIRST, { state: 'final', message: assistant('The whole answer.') }),
    asks('chat.abort', { sessionKey: KEY, runId: SECOND }),
    chat(SECOND, { state: 'aborted', stopReason: 'rpc' }),
    lifecycle(SECOND, { phase: 'end', status: 'cancelled', aborted: true }),
  ],

  /** The Gateway's settings change while it prepares the first prompt; the second one waits and is withdrawn. */
  superseded: [
    ...sent(FIRST),
    chat(FIRST, { state: 'status', phase: 'preparing_workspace' }),
    ...sent(SECOND),
    chat(FIRST, { state: 'error', errorMessage: SUPERSEDED }),
    asks('chat.abort', { sessionKey: KEY, runId: SECOND }),
    chat(SECOND, { state: 'aborted', stopReason: 'rpc' }),
  ],

  /** Another client's run occupies the session, so the prompt is answered under a generated id. */
  'behind-another': [
    ...sent(FIRST),
    chat(FIRST, { state: 'final' }),
    lifecycle('somebody-elses', { phase: 'end' }),
    chat('somebody-elses', { state: 'final', message: assistant('For somebody else.') }),
    kept(FIRST),
    ...started('made-up-by-the-gateway'),
    modelCall('made-up-by-the-gateway'),
    answerText('made-up-by-the-gateway', 'Your turn.'),
    row('made-up-by-the-gateway', 'row-2', 'Your turn.'),
    chat('made-up-by-the-gateway', { state: 'final', message: assistant('Your turn.') }),
  ],

  /** The same, but the answering run starts before the prompt is in the record. */
  'behind-another-late-row': [
    ...sent(FIRST),
    chat(FIRST, { state: 'final' }),
    chat('somebody-elses', { state: 'final', message: assistant('For somebody else.') }),
    ...started('made-up-by-the-gateway'),
    kept(FIRST),
    modelCall('made-up-by-the-gateway'),
    answerText('made-up-by-the-gateway', 'Your turn.'),
    row('made-up-by-the-gateway', 'row-2', 'Your turn.'),
    chat('made-up-by-the-gateway', { state: 'final', message: assistant('Your turn.') }),
  ],

  /** The model ends its answer without any text. */
  'says-nothing': [
    ...sent(FIRST),
    ...started(FIRST),
    modelCall(FIRST),
    chat(FIRST, { state: 'aborted', stopReason: 'stop' }),
    chat(FIRST, { state: 'error', errorMessage: 'The agent said nothing.' }),
  ],

  'asks-allowed': asked([
    tool(FIRST, 'call_1', { phase: 'result', isError: false, result: { content: [textPart('approved-ran')] } }),
  ]),
  'asks-denied': asked([
    tool(FIRST, 'call_1', {
      phase: 'result',
      isError: true,
      result: { content: [textPart('Exec denied (gateway id=approval-1, user-denied): mkdir made')] },
    }),
  ]),
}

function asked(after: readonly RecordedFrame[]): readonly RecordedFrame[] {
  const request = {
    command: 'mkdir made',
    cwd: '<dir>/workspace',
    host: 'gateway',
    security: 'allowlist',
    ask: 'on-miss',
    allowedDecisions: ['allow-once', 'deny'],
    agentId: 'main',
    sessionKey: KEY,
    runId: FIRST,
    toolCallId: 'call_1',
  }
  return [
    ...sent(FIRST),
    ...started(FIRST),
    modelCall(FIRST),
    tool(FIRST, 'call_1', { phase: 'start', args: { command: 'mkdir made' } }),
    lifecycle(FIRST, { phase: 'waiting-approval', approvalId: 'approval-1', toolCallId: 'call_1' }),
    event('exec.approval.requested', { approvalKind: 'exec', id: 'approval-1', request }),
    asks('exec.approval.resolve', { id: 'approval-1', decision: 'allow-once' }),
    event('exec.approval.resolved', { id: 'approval-1', decision: 'allow-once', request }),
    lifecycle(FIRST, { phase: 'approval-resolved' }),
    ...after,
    modelCall(FIRST),
    answerText(FIRST, 'After the command.'),
    lifecycle(FIRST, { phase: 'end' }),
    chat(FIRST, { state: 'final', message: assistant('After the command.') }),
  ]
}

function sent(runId: string): readonly RecordedFrame[] {
  const params = { sessionKey: KEY, message: 'Play this.', idempotencyKey: runId }
  const id = `send-${runId}`
  return [
    { at: 0, from: 'client', frame: { type: 'req', id, method: 'chat.send', params } },
    { at: 0, from: 'gateway', frame: { type: 'res', id, ok: true, payload: { runId, status: 'started' } } },
  ]
}

function started(runId: string): readonly RecordedFrame[] {
  return [
    chat(runId, { state: 'status', phase: 'preparing_workspace' }),
    ...(runId === FIRST ? [kept(runId)] : []),
    lifecycle(runId, { phase: 'start', startedAt: 1 }),
  ]
}

function asks(method: string, params: Json): RecordedFrame {
  return { at: 0, from: 'client', frame: { type: 'req', id: method, method, params } }
}

function event(name: string, payload: Json): RecordedFrame {
  return { at: 0, from: 'gateway', frame: { type: 'event', event: name, payload } }
}

function agent(runId: string, stream: string, data: Json): RecordedFrame {
  return event('agent', { runId, stream, data, sessionKey: KEY, sessionId: 'written-session', agentId: 'main' })
}

function lifecycle(runId: string, data: Json): RecordedFrame {
  return agent(runId, 'lifecycle', data)
}

function modelCall(runId: string): RecordedFrame {
  return lifecycle(runId, { phase: 'model', provider: 'scripted', model: 'boo' })
}

function answerText(runId: string, text: string): RecordedFrame {
  return agent(runId, 'assistant', { text, delta: text, itemId: `${text}:1` })
}

function tool(runId: string, toolCallId: string, data: Json): RecordedFrame {
  return agent(runId, 'tool', { name: 'exec', toolCallId, ...data })
}

function chat(runId: string, more: Json): RecordedFrame {
  return event('chat', { runId, sessionKey: KEY, agentId: 'main', ...more })
}

function kept(runId: string): RecordedFrame {
  const message = { role: 'user', content: 'Play this.', idempotencyKey: `${runId}:user`, __openclaw: { id: runId } }
  return event('session.message', { sessionKey: KEY, message })
}

function row(runId: string, id: string, text: string): RecordedFrame {
  const usage = { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0, cost: { total: 0.0012 } }
  const message = { ...assistant(text), provider: 'scripted', model: 'boo', usage, __openclaw: { runId, id } }
  return event('session.message', { sessionKey: KEY, message })
}

function assistant(text: string): Json {
  return { role: 'assistant', content: [textPart(text)] }
}

function textPart(text: string): Json {
  return { type: 'text', text }
}
