import { ClawbooError, createInOrderByKey } from '@clawboo/core'
import {
  AGENT_FILE_MAX_CHARACTERS,
  AGENT_FILE_NAMES,
  type AgentFileName,
  type AgentFileRevision,
  type AgentRecord,
  type SourceRecords,
  staleRevision,
  WORKSPACE_AUTHOR,
} from '@clawboo/core/registry'
import { refusalWords } from './gateway/call-error.ts'
import type { CallOptions, GatewayConnection } from './gateway/gateway-connection.ts'
import { object, text } from './gateway/gateway-frames.ts'

/** The longest time that a reader waits for a silent Gateway. */
const READ_WITHIN_MS = 3_000

export type GatewayFiles = ReturnType<typeof createGatewayFiles>

/** An agent's files are at the Gateway; every text read from there is stored as a revision. */
export function createGatewayFiles(gateway: GatewayConnection, records: SourceRecords) {
  /** One read or write at a time per file, so that a write's base check is still valid when it is applied. */
  const inOrder = createInOrderByKey()

  /** Stores the text at the Gateway and returns the newest revision. */
  const takeIn = async (
    agent: AgentRecord,
    name: AgentFileName,
    options: CallOptions = {},
  ): Promise<AgentFileRevision | null> => {
    const latest = await records.latestFile(agent.id, name)
    const there = await fetchText(gateway, agent, name, options)
    if (there === null || there === (latest?.content ?? '')) return latest
    const [agentId, expectedRevision] = [agent.id, latest?.revision ?? 0]
    const seen = await records.appendFile({ agentId, name, content: there, expectedRevision, author: WORKSPACE_AUTHOR })
    return seen ?? takeIn(agent, name, options)
  }
  const lookIn = async (agent: AgentRecord, name: AgentFileName) => {
    const isThere = gateway.status().state === 'connected' && agent.archivedAt === null
    if (!isThere) return records.latestFile(agent.id, name)
    return takeIn(agent, name, { timeoutMs: READ_WITHIN_MS }).catch((error: unknown) => {
      if (error instanceof ClawbooError && error.code === 'upstream_disconnected')
        return records.latestFile(agent.id, name)
      throw error
    })
  }

  return {
    /** Returns the newest text, or the last stored one when the Gateway is away or no longer has the agent. */
    read: (agent: AgentRecord, name: AgentFileName): Promise<string> =>
      inOrder(`${agent.id} ${name}`, async () => (await lookIn(agent, name))?.content ?? ''),
    /** Stores the current text of every file. A file that cannot be stored keeps its last revision. */
    async look(agent: AgentRecord): Promise<void> {
      const looks = AGENT_FILE_NAMES.map((name) => inOrder(`${agent.id} ${name}`, () => lookIn(agent, name)))
      await Promise.allSettled(looks)
    },
    /** Throws `file_unsupported`, `file_revision_stale` and `upstream_disconnected`. */
    write: (agent: AgentRecord, name: AgentFileName, content: string, baseRevision?: number): Promise<void> =>
      inOrder(`${agent.id} ${name}`, async () => {
        const latest = await takeIn(agent, name)
        const newest = latest?.revision ?? 0
        if (baseRevision !== undefined && baseRevision !== newest) throw staleRevision(name, baseRevision, latest)
        if (latest && latest.content === content) return
        // Write to the Gateway first: after a crash in between, the next read stores the new text.
        await storeText(gateway, agent, name, content)
        if (await records.appendFile({ agentId: agent.id, name, content, expectedRevision: newest })) return
        const winner = await records.latestFile(agent.id, name)
        await storeText(gateway, agent, name, winner?.content ?? '')
        throw staleRevision(name, newest, winner)
      }),
  }
}

/** null = no such file, or the Gateway does not support a file with that name. */
async function fetchText(
  gateway: GatewayConnection,
  agent: AgentRecord,
  name: AgentFileName,
  options: CallOptions,
): Promise<string | null> {
  const answer = await gateway
    .call('agents.files.get', { agentId: agent.sourceAgentId, name }, options)
    .catch((error: unknown) => {
      if (isUnsupported(error)) return null
      throw error
    })
  const { missing, content } = object(object(answer).file)
  if (missing === true || typeof content !== 'string') return null
  if (content.length <= AGENT_FILE_MAX_CHARACTERS) return content
  const problem = `${name} at the Gateway has more than ${AGENT_FILE_MAX_CHARACTERS} characters`
  throw new ClawbooError('file_too_large', `${problem}, so it was not stored`, { details: { name } })
}

async function storeText(gateway: GatewayConnection, agent: AgentRecord, name: AgentFileName, content: string) {
  try {
    await gateway.call('agents.files.set', { agentId: agent.sourceAgentId, name, content })
  } catch (error) {
    if (!isUnsupported(error)) throw error
    const message = `the OpenClaw Gateway keeps no ${name} for its agents`
    throw new ClawbooError('file_unsupported', message, { details: { name }, cause: error })
  }
}

/** The supported file names differ between releases, so the Gateway is asked every time. */
function isUnsupported(error: unknown): boolean {
  return text(refusalWords(error)).startsWith('unsupported file')
}
