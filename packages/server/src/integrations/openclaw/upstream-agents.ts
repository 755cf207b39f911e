import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ClawbooError, createInOrderByKey } from '@clawboo/core'
import { readableSlug, type UpstreamAgent } from '@clawboo/core/registry'
import { refusalWords } from './gateway/call-error.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { object, plain, text } from './gateway/gateway-frames.ts'

export type UpstreamAgents = ReturnType<typeof createUpstreamAgents>

/** A write takes seconds on a busy machine. */
const WRITE_TIMEOUT_MS = 60_000
const SHOWN_WITHIN_MS = 20_000
const LOOK_EVERY_MS = 100

/** The Gateway's agents. A write resolves when the list shows it. */
export function createUpstreamAgents(gateway: GatewayConnection) {
  const inOrder = createInOrderByKey()
  const options = { timeoutMs: WRITE_TIMEOUT_MS }
  const read = async () => readUpstreamList(await gateway.call('agents.list'))
  const untilShown = async (holds: (agents: readonly UpstreamAgent[]) => boolean): Promise<UpstreamList> => {
    const end = Date.now() + SHOWN_WITHIN_MS
    for (;;) {
      const found = await read()
      if (holds(found.agents) || Date.now() > end) return found
      await pause(LOOK_EVERY_MS)
    }
  }

  return {
    list: read,
    inOrder: <T>(work: () => Promise<T>): Promise<T> => inOrder('agents', work),
    async create(name: string, emoji: string | null) {
      const sourceAgentId = await createUnder(gateway, name, emoji)
      const isShown = (agent: UpstreamAgent) => agent.sourceAgentId === sourceAgentId && agent.name === plain(name)
      const { mainKey } = await untilShown((agents) => agents.some(isShown))
      return { sourceAgentId, sessionKey: `agent:${sourceAgentId}:${mainKey}` }
    },
    async update(sourceAgentId: string, { name, emoji }: { readonly name?: string; readonly emoji?: string | null }) {
      if (emoji === null) throw cannotTakeEmojiAway()
      const change = { ...(name === undefined ? {} : { name }), ...(emoji === undefined ? {} : { emoji }) }
      await gateway.call('agents.update', { agentId: sourceAgentId, ...change }, options)
      await untilShown((agents) =>
        agents.some(
          (agent) =>
            agent.sourceAgentId === sourceAgentId &&
            (name === undefined || agent.name === name) &&
            (emoji === undefined || agent.emoji === emoji),
        ),
      )
    },
    /** Also removes the workspace. Does nothing when the agent does not exist. */
    async remove(sourceAgentId: string): Promise<void> {
      try {
        await gateway.call('agents.delete', { agentId: sourceAgentId, deleteFiles: true }, options)
      } catch (error) {
        if (!text(refusalWords(error)).endsWith('not found')) throw error
      }
      await untilShown((agents) => agents.every((agent) => agent.sourceAgentId !== sourceAgentId))
    },
  }
}

/** The Gateway derives the id from the name. A name with a taken id, or without usable letters, gets a generated id. */
async function createUnder(gateway: GatewayConnection, name: string, emoji: string | null): Promise<string> {
  try {
    return await createAs(gateway, name, emoji)
  } catch (error) {
    if (!/already exists|no valid id characters|reserved/.test(text(refusalWords(error)))) throw error
    const agentId = await createAs(gateway, `${name} ${randomBytes(3).toString('hex')}`, emoji)
    const rename = { agentId, name }
    await untilTaken(() => gateway.call('agents.update', rename, { timeoutMs: WRITE_TIMEOUT_MS }))
    return agentId
  }
}

async function createAs(gateway: GatewayConnection, name: string, emoji: string | null): Promise<string> {
  const folder = workspaceFor(gateway, name)
  const request = { name, ...(emoji === null ? {} : { emoji }), ...(folder === null ? {} : { workspace: folder }) }
  return text(object(await gateway.call('agents.create', request, { timeoutMs: WRITE_TIMEOUT_MS })).agentId)
}

/**
 * A folder that no other agent used. The Gateway's default is inside the main agent's folder, which it does not clean
 * up, so the next agent with that name would inherit the files.
 */
function workspaceFor(gateway: GatewayConnection, name: string): string | null {
  const stateDir = gateway.status().hello?.stateDir
  return stateDir ? `${stateDir}/workspace-${readableSlug(name, 'agent')}-${randomBytes(3).toString('hex')}` : null
}

/** Retries while the Gateway does not find a new agent yet. */
async function untilTaken(work: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + SHOWN_WITHIN_MS
  for (;;) {
    try {
      return void (await work())
    } catch (error) {
      if (!text(refusalWords(error)).endsWith('not found') || Date.now() > end) throw error
      await pause(LOOK_EVERY_MS)
    }
  }
}

function cannotTakeEmojiAway(): ClawbooError {
  return new ClawbooError('upstream_refused', 'the OpenClaw Gateway can change an emoji but cannot remove it')
}

interface UpstreamList {
  readonly agents: readonly UpstreamAgent[]
  readonly mainKey: string
}

/**
 * Reads the answer of `agents.list`. Throws `upstream_refused` when it is not a list, because that is not an empty
 * fleet.
 */
export function readUpstreamList(answer: unknown): UpstreamList {
  const { agents, defaultId, mainKey: listedKey } = object(answer)
  if (!Array.isArray(agents))
    throw new ClawbooError('upstream_refused', 'the OpenClaw Gateway did not return a list of agents')
  const mainKey = text(listedKey) || 'main'
  return { mainKey, agents: agents.flatMap((row) => readAgent(object(row), text(defaultId), mainKey)) }
}

function readAgent(row: Readonly<Record<string, unknown>>, defaultId: string, mainKey: string): UpstreamAgent[] {
  const sourceAgentId = text(row.id)
  if (sourceAgentId === '' || plain(sourceAgentId) !== sourceAgentId) return []
  const identity = object(row.identity)
  return [
    {
      sourceAgentId,
      name: plain(identity.name) || plain(row.name) || null,
      emoji: plain(identity.emoji) || null,
      avatarUrl: shownUrl(text(identity.avatarUrl)),
      sessionKey: `agent:${sourceAgentId}:${mainKey}`,
      isDefault: sourceAgentId === defaultId,
    },
  ]
}

/** A path in the Gateway's own folders is useless to a page. */
function shownUrl(url: string): string | null {
  return /^(?:https:\/\/|data:image\/)/.test(url) ? url : null
}
