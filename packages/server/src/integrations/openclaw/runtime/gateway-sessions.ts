import { setTimeout as pause } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeModel } from '@clawboo/core/executor'
import type { HostSettings } from '../../host.ts'
import type { SessionSettings } from '../agent-config.ts'
import { refusalWords } from '../gateway/call-error.ts'
import type { GatewayConnection } from '../gateway/gateway-connection.ts'
import { list, object, plain, text } from '../gateway/gateway-frames.ts'
import { promptKeyOf, resumedRunOf, type Spent, spentOf } from '../translate.ts'
import { keysOf, promptKey } from './upstream-keys.ts'

/** The newest rows show the fate of a prompt, because a run adds only a few. */
const LOOK_BACK = 200
const MOST_SENDS = 12
const SEND_AGAIN_MS = 1_000
const MOST_CATALOG_READS = 40
const READ_AGAIN_MS = 250

export interface SessionRows {
  readonly promptKeys: readonly string[]
  readonly spent: readonly Spent[]
  /** Runs that the Gateway resumed after a restart. */
  readonly resumed: readonly string[]
  /** The Gateway is running something in this session. */
  readonly isActive: boolean
  /** The active run; null when not sent. */
  readonly activeRun: string | null
  /** Prompts that have not started, by the runs they would start, newest first. */
  readonly waiting: readonly string[]
  /** The agent's last message. */
  readonly lastText: string | null
}

export interface PromptRequest {
  readonly sessionKey: string
  readonly message: string
  readonly idempotencyKey: string
  /** How the prompt is handled while the session is busy. Older releases can only steer. */
  readonly queueMode: 'followup' | 'steer'
}

export type GatewaySessions = ReturnType<typeof createGatewaySessions>

/** The Gateway's sessions, by its own keys. */
export function createGatewaySessions(gateway: GatewayConnection, settings: HostSettings) {
  const overrides = createSessionOverrides(settings)
  const rows = async (sessionKey: string): Promise<SessionRows> =>
    readRows(await gateway.call('chat.history', { sessionKey, limit: LOOK_BACK }))
  const setModel = (key: string, model: string | null) =>
    overrides.set(key, 'model', model, async () => {
      try {
        await gateway.call('sessions.patch', { key, model })
      } catch (error) {
        const words = refusalWords(error)
        if (words === null || model === null) throw error
        throw new ClawbooError('model_unknown', `${model}: ${words}`, { details: { model }, cause: error })
      }
    })
  return {
    rows,
    /** Resolves to the Gateway's status of the prompt. `ok`: the key was used before. */
    send: (request: PromptRequest) => send(gateway, request),
    /** Applies to later runs, until one names another model or none. */
    setModel,
    /** Subscribes to stored rows. */
    follow: async (key: string): Promise<void> => void (await gateway.call('sessions.messages.subscribe', { key })),
    /** Before a run: sets the model and the permissions of the run. */
    async configure(key: string, { model, permissionMode }: SessionSettings): Promise<void> {
      await overrides.set(key, 'permissionMode', permissionMode, () => setPermissions(gateway, key, permissionMode))
      await setModel(key, model)
    },
    async hasPrompt(key: string, promptId: string): Promise<boolean> {
      const wanted = promptKey(key, promptId)
      const { promptKeys } = await rows(key)
      return promptKeys.some((kept) => kept === wanted || kept.startsWith(`${wanted}-`))
    },
    listModels: () => listModels(gateway),
    /** Returns null, or the reason why not and what to type instead. */
    async checkModel(model: string): Promise<string | null> {
      const known = (await listModels(gateway)).map(({ ref }) => ref)
      if (known.includes(model)) return null
      return `the OpenClaw Gateway has no model "${model}"; available: ${known.slice(0, 20).join(', ') || 'none'}`
    },
    reset: async (key: string): Promise<void> => void (await gateway.call('sessions.reset', { key })),
    abort: async (sessionKey: string, runId: string): Promise<void> =>
      void (await gateway.call('chat.abort', { sessionKey, runId })),
    /** Aborts everything in the session, including waiting prompts. */
    abortAll: async (key: string): Promise<void> =>
      void (await gateway.call('sessions.abort', { key, clearQueued: true })),
    // Errors are ignored: a subscription that stays costs only unread frames, and it ends with the connection.
    leave: (key: string): void => void gateway.call('sessions.messages.unsubscribe', { key }).catch(() => {}),
    /** Removes the stored overrides of a deleted agent's sessions. */
    forget: (sourceAgentId: string): Promise<void> => overrides.forget(keysOf(sourceAgentId)),
  }
}

async function send(gateway: GatewayConnection, request: PromptRequest): Promise<string> {
  const { queueMode: _, ...older } = request
  for (let time = 1; ; time++) {
    const answer = await gateway.call('chat.send', request).catch((error: unknown) => {
      if (!text(refusalWords(error)).includes("'queueMode'")) throw error
      return gateway.call('chat.send', older)
    })
    const { runId, status } = object(answer)
    if (text(runId) === '' || text(runId) === request.idempotencyKey) return text(status)
    // Older releases treat the same text within a few seconds as a repetition and return the earlier run's id.
    if (time === MOST_SENDS)
      throw new ClawbooError('upstream_refused', 'the OpenClaw Gateway treats this as a repetition of the last message')
    await pause(SEND_AGAIN_MS)
  }
}

/** The Gateway has no answer while it refreshes its models, which it does for a moment after an agent was created. */
async function readCatalog(gateway: GatewayConnection): Promise<unknown> {
  for (let time = 1; ; time++) {
    try {
      return await gateway.call('models.list')
    } catch (error) {
      // With words of its own the Gateway is there, and only not ready.
      const isRefreshing = mayHaveArrived(error) && refusalWords(error) !== null
      if (!isRefreshing || time === MOST_CATALOG_READS) throw error
      await pause(READ_AGAIN_MS)
    }
  }
}

async function listModels(gateway: GatewayConnection): Promise<readonly RuntimeModel[]> {
  const byRef = new Map<string, RuntimeModel>()
  for (const row of list(object(await readCatalog(gateway)).models)) {
    const { provider, id, name } = object(row)
    const ref = `${text(provider)}/${text(id)}`
    const isName = text(provider) !== '' && text(id) !== '' && plain(ref) === ref
    if (isName && !byRef.has(ref)) byRef.set(ref, { ref, label: plain(name) || ref })
  }
  return [...byRef.values()]
}

/** Older releases have two settings instead of one mode, and lack some modes. */
async function setPermissions(gateway: GatewayConnection, key: string, permissionMode: string | null): Promise<void> {
  try {
    await gateway.call('sessions.patch', { key, permissionMode })
  } catch (error) {
    if (!text(refusalWords(error)).includes("'permissionMode'")) throw error
    const older = OLDER_MODES.get(permissionMode ?? '')
    if (!older) {
      const words = `this release of OpenClaw has no permission mode "${permissionMode}"`
      throw new ClawbooError('upstream_refused', words, { cause: error })
    }
    await gateway.call('sessions.patch', { key, ...older })
  }
}

const OLDER_MODES: ReadonlyMap<string, object> = new Map<string, object>([
  ['', { execSecurity: null, execAsk: null }],
  ['guarded', { execSecurity: 'allowlist', execAsk: 'on-miss' }],
  ['full', { execSecurity: 'full', execAsk: 'off' }],
])

function readRows(answer: unknown): SessionRows {
  const { messages, inFlightRun, sessionInfo, pendingInputs } = object(answer)
  const rows = list(messages).map(object)
  const last = rows.findLast(({ role }) => role === 'assistant')
  const parts = list(last?.content).map(object)
  return {
    promptKeys: rows.map(promptKeyOf).filter((key) => key !== null),
    spent: rows.map(spentOf).filter((spent) => spent !== null),
    resumed: rows.map(resumedRunOf).filter((runId) => runId !== null),
    isActive: inFlightRun !== undefined || object(sessionInfo).hasActiveRun === true,
    activeRun: text(object(inFlightRun).runId) || null,
    waiting: list(object(pendingInputs).items)
      .map((item) => text(object(item).runId))
      .reverse(),
    lastText: last ? parts.map((part) => text(part.text)).join('') : null,
  }
}

type Setting = 'model' | 'permissionMode'

/**
 * Session settings that this installation set at the Gateway. When a person removes a setting here, it is removed
 * there too; settings that another client chose for a session are left alone.
 */
function createSessionOverrides(settings: HostSettings) {
  return {
    /** Calls `send` when the new value, or its removal, must be sent to the Gateway. */
    async set(key: string, setting: Setting, value: string | null, send: () => Promise<void>): Promise<void> {
      // One row per session and setting, because another server may change other sessions.
      const ours = `${PREFIX}${key} ${setting}`
      const wasOurs = (await settings.get(ours)) === true
      if (value === null && !wasOurs) return
      // Mark it before the Gateway is called, so that the setting can still be removed after a crash in between.
      if (!wasOurs) await settings.set(ours, true)
      try {
        await send()
      } catch (error) {
        // The Gateway refused the setting, so any value there belongs to another client.
        if (!wasOurs && !mayHaveArrived(error)) await settings.remove(ours)
        throw error
      }
      if (value === null) await settings.remove(ours)
    },
    /** Removes the records of all sessions with this key prefix. */
    forget: (prefix: string) => settings.removePrefix(PREFIX + prefix),
  }
}

const PREFIX = 'session-override:'

function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof ClawbooError) || error.code === 'upstream_disconnected'
}
