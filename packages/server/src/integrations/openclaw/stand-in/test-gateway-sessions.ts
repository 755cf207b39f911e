import { randomUUID } from 'node:crypto'
import type { TestFleet } from './test-gateway-agents.ts'
import { type Methods, method, Refusal } from './test-gateway-method.ts'
import { Play } from './test-gateway-play.ts'
import { findRecording, type Json } from './test-recordings.ts'
import { createScriptedSessions, type ScriptedSessionState, type ScriptedSessions } from './test-scripted-sessions.ts'
import type { VersionFacts } from './test-version-facts.ts'

const MODELS = ['boo', 'other'].map((id) => ({ id, name: id, provider: 'scripted', available: true }))

export interface TestSession extends ScriptedSessionState {
  sessionId: string
  label: string | null
  model: string | null
  permissionMode: string | null
  rows: Json[]
  play: Play | null
}

export interface TestSessions {
  /** Sends all frames of a run before it answers the prompt. */
  isInHaste: boolean
  readonly byKey: ReadonlyMap<string, TestSession>
  readonly scripted: ScriptedSessions
  readonly methods: Methods
}

/** Sessions with prompts that play recordings (`play <name>`) or contain a script for the model. */
export function createTestSessions(
  version: string,
  facts: VersionFacts,
  fleet: TestFleet,
  broadcast: (event: string, payload: Json) => void,
): TestSessions {
  const byKey = new Map<string, TestSession>()
  const scripted = createScriptedSessions(byKey, fleet, broadcast, (runId) => over(runId))
  const sessions: TestSessions = { isInHaste: false, byKey, scripted, methods: {} }
  const sent = new Map<string, { readonly message: string; isOver: boolean }>()
  const session = (key: string): TestSession => {
    const found = byKey.get(key)
    if (found) return found
    const made: TestSession = {
      sessionId: randomUUID(),
      label: null,
      model: null,
      permissionMode: null,
      rows: [],
      play: null,
      scripted: null,
    }
    byKey.set(key, made)
    return made
  }
  const over = (runId: string) => {
    const prompt = sent.get(runId)
    if (prompt) prompt.isOver = true
  }
  const begin = (key: string, message: string): Play => {
    const at = session(key)
    const name = /^play (\S+)/.exec(message)?.[1] ?? 'turn-plain'
    const recording = findRecording(version, name)
    if (!recording) throw new Refusal(`the stand-in has no recording "${name}"`)
    at.play = new Play(recording, key, at.sessionId, {
      broadcast,
      keep: (rows) => at.rows.push(...rows),
      over,
    })
    return at.play
  }
  const chatSend = (params: Json) => {
    const { message, idempotencyKey: runId } = params as { message: string; idempotencyKey: string }
    const key = fullKey(String(params.sessionKey))
    const agentId = key.split(':')[1]!
    if (!fleet.has(agentId)) throw new Refusal(`Agent "${agentId}" no longer exists in configuration`)
    const before = sent.get(runId)
    if (before && before.message !== message) throw keyConflict()
    if (before) return { runId, status: before.isOver ? 'ok' : 'in_flight' }
    const { play } = session(key)
    const scriptedSession = scripted.find(key, message)
    if (scriptedSession) scriptedSession.send(runId, message, params.queueMode === 'followup' ? 'followup' : 'steer')
    else if (play?.waitsFor === 'chat.send') play.advance(params)
    else if (play && play.underWay.size > 0) joinActiveRun(key, runId, message)
    else begin(key, message).advance(params, sessions.isInHaste)
    sent.set(runId, { message, isOver: false })
    return { runId, status: 'started' }
  }
  /** A prompt that joins the active run. */
  const joinActiveRun = (sessionKey: string, runId: string, content: string) =>
    setImmediate(() => {
      const message = { role: 'user', content, idempotencyKey: `${runId}:user` }
      session(sessionKey).rows.push(message)
      broadcast('chat', { runId, sessionKey, seq: 1, state: 'final' })
      broadcast('session.message', { sessionKey, message })
      sent.get(runId)!.isOver = true
    })
  const abort = (key: string, runId: string | undefined, name: string, params: Json): readonly string[] => {
    const { play, scripted: scriptedSession } = session(key)
    if (scriptedSession) return runId === undefined ? scriptedSession.abortAll() : scriptedSession.abort(runId)
    const ended = [...(play?.underWay ?? [])].filter((id) => runId === undefined || id === runId)
    if (play?.waitsFor === name) play.advance(params)
    else for (const id of ended) play!.abort(id, key)
    return ended
  }
  const mode = facts.takesQueueMode ? ' queueMode' : ''
  const methods: Methods = {
    'models.list': method('read', 'agentId', () => ({ models: MODELS })),
    'chat.send': method('write', `sessionKey! message! idempotencyKey! agentId thinking timeoutMs${mode}`, chatSend),
    'chat.abort': method('write', 'sessionKey! runId', (params) => {
      const runIds = abort(fullKey(String(params.sessionKey)), params.runId as string, 'chat.abort', params)
      return { ok: true, aborted: runIds.length > 0, runIds }
    }),
    'sessions.abort': method('write', 'key runId clearQueued', (params) => {
      const [runId] = abort(String(params.key), params.runId as string, 'sessions.abort', params)
      return runId
        ? { ok: true, abortedRunId: runId, status: 'aborted' }
        : { abortedRunId: null, status: 'no-active-run' }
    }),
    'chat.history': method('read', 'sessionKey! limit offset cursor', ({ sessionKey, limit }) => {
      const key = fullKey(String(sessionKey))
      return historyOf(key, byKey.get(key), Number(limit ?? 200))
    }),
    'exec.approval.resolve': method('approvals', 'id! decision!', (params) => {
      if (scripted.tools.answer(String(params.id), String(params.decision))) return { ok: true }
      const play = [...byKey.values()].find((each) => each.play?.waitsFor === 'exec.approval.resolve')?.play
      if (!play) throw new Refusal('unknown or expired approval id')
      play.advance(params)
      return { ok: true }
    }),
    ...sessionMethods(facts, byKey, session),
  }
  return Object.assign(sessions, { methods })
}

function historyOf(key: string, at: TestSession | undefined, limit: number): Json {
  const runId = [...(at?.play?.underWay ?? [])][0] ?? at?.scripted?.activeRun ?? null
  const pending = (at?.scripted?.pending ?? []).map((id) => ({ state: 'queued', runId: id }))
  return {
    sessionKey: key,
    ...(at ? { sessionId: at.sessionId } : {}),
    messages: (at?.rows ?? []).slice(-limit),
    ...(runId === null ? {} : { inFlightRun: { runId, text: '', events: [] } }),
    pendingInputs: { items: pending, total: pending.length },
    hasMore: false,
    sessionInfo: { key, hasActiveRun: runId !== null },
  }
}

function sessionMethods(
  facts: VersionFacts,
  byKey: ReadonlyMap<string, TestSession>,
  session: (key: string) => TestSession,
): Methods {
  const permissions = facts.hasPermissionMode ? 'permissionMode' : 'execSecurity execAsk'
  const entryOf = ({ play: _, rows: __, scripted: ___, ...entry }: TestSession) => entry
  return {
    'sessions.messages.subscribe': method('read', 'key!', ({ key }, { subscribed }) => {
      subscribed.add(String(key))
      return { subscribed: true, key }
    }),
    'sessions.messages.unsubscribe': method('read', 'key!', ({ key }, { subscribed }) => {
      subscribed.delete(String(key))
      return { subscribed: false, key }
    }),
    'sessions.list': method('read', 'limit offset agentId search includeLastMessage includeDerivedTitles', (params) => {
      const all = [...byKey].filter(([key]) => !params.agentId || key.startsWith(`agent:${params.agentId}:`))
      const rows = all.slice(0, Number(params.limit ?? 50)).map(([key, at]) => ({
        key,
        agentId: key.split(':')[1],
        kind: 'direct',
        sessionId: at.sessionId,
        ...(at.label === null ? {} : { label: at.label }),
        hasActiveRun: (at.play?.underWay.size ?? 0) > 0 || (at.scripted?.activeRun ?? null) !== null,
        startedAt: 1,
        updatedAt: 2,
      }))
      return { ts: 1, count: rows.length, totalCount: all.length, hasMore: rows.length < all.length, sessions: rows }
    }),
    'sessions.patch': method('write', `key! label model archived ${permissions}`, (params) => {
      const { key, model, label, execAsk } = params as Record<string, string | null | undefined>
      const ofOlder = execAsk === null ? null : execAsk === 'on-miss' ? 'guarded' : undefined
      const permissionMode = ofOlder === undefined ? (params.permissionMode as string | null | undefined) : ofOlder
      const at = session(key!)
      const [provider, id] = (model ?? '').split('/')
      if (model && provider !== 'scripted')
        throw new Refusal(`Unknown provider "${provider}". Use /models to list providers.`)
      if (model && !MODELS.some((known) => known.id === id)) throw new Refusal(`model not allowed: ${model}`)
      if (model !== undefined) at.model = model
      if (permissionMode !== undefined) at.permissionMode = permissionMode
      if (label !== undefined) at.label = label
      return { ok: true, key, entry: entryOf(at) }
    }),
    'sessions.reset': method('write', 'key!', ({ key }) => {
      const at = session(String(key))
      Object.assign(at, { rows: [], sessionId: randomUUID() })
      return { ok: true, key, entry: entryOf(at) }
    }),
  }
}

function keyConflict(): Refusal {
  const words = 'This message ID was already used for different input.'
  return new Refusal(`${words} Check the conversation history and use a new message ID to send again.`, {
    details: { reason: 'chat-request-conflict' },
  })
}

function fullKey(key: string): string {
  return key === 'main' ? 'agent:main:main' : key
}
