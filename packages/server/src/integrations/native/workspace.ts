import { isUtf8 } from 'node:buffer'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import {
  AGENT_FILE_MAX_CHARACTERS,
  AGENT_FILE_NAMES,
  type AgentFileName,
  type AgentFileRevision,
  type AgentRecord,
  createTurnsByKey,
  type SourceRecords,
  staleRevision,
  WORKSPACE_AUTHOR,
} from '@clawboo/core/registry'
import type { HostFiles } from '../host.ts'
import { NATIVE_ID } from './native-id.ts'

/**
 * The working copy of an agent's files, in the folder the agent works in. The database holds the revisions; what the
 * agent or a person's editor changes on disk becomes one at the next look. An agent that runs elsewhere has no folder
 * here: its files are their revisions.
 */
export interface Workspace {
  /** The newest text, after taking in what changed on disk; null = never written. */
  read(agent: AgentRecord, name: AgentFileName): Promise<AgentFileRevision | null>
  /** Takes in what changed on disk since the last look. What cannot be taken in stays out. */
  look(agent: AgentRecord): Promise<void>
  write(agent: AgentRecord, name: AgentFileName, content: string, baseRevision?: number): Promise<void>
  /** Puts first texts on disk. */
  fill(agent: AgentRecord, files: Readonly<Partial<Record<AgentFileName, string>>>): Promise<void>
  remove(agentId: string): Promise<void>
}

export function createWorkspace(records: SourceRecords, files: HostFiles): Workspace {
  /** One look or write at a time per agent, so that a write's check of its base still holds when it lands. */
  const inTurn = createTurnsByKey()
  const pathOf = (agentId: string, name: AgentFileName) => `${agentId}/workspace/${name}`

  const takeIn = async (agent: AgentRecord, name: AgentFileName): Promise<AgentFileRevision | null> => {
    const agentId = agent.id
    const latest = await records.latestFile(agentId, name)
    if (!runsHere(agent)) {
      // A copy from before it moved away would pass for an edit when it is back.
      await files.remove(pathOf(agentId, name))
      return latest
    }
    const bytes = await files.read(pathOf(agentId, name))
    const onDisk = bytes && textOf(bytes, name)
    if (onDisk === null) {
      // A missing file is a lost copy, not an edit: a folder that was moved away must not empty the agent.
      if (latest) await files.write(pathOf(agentId, name), latest.content)
      return latest
    }
    if (onDisk === (latest?.content ?? '')) return latest
    const seen = await records.appendFile({
      agentId,
      name,
      content: onDisk,
      expectedRevision: latest?.revision ?? 0,
      author: WORKSPACE_AUTHOR,
    })
    return seen ?? takeIn(agent, name)
  }

  /** How each file was at the last look, by path. */
  const seen = new Map<string, string>()
  const lookAt = async (agent: AgentRecord): Promise<void> => {
    if (!runsHere(agent)) return
    const folder = await files.folder(`${agent.id}/workspace`).enter('')
    if (folder === null) return
    try {
      for (const name of AGENT_FILE_NAMES) {
        const looks = await signatureOf(join(folder.at, name))
        const path = pathOf(agent.id, name)
        if (looks === null || looks === seen.get(path)) continue
        // Before it is read: what changes while it is read is looked at again.
        seen.set(path, looks)
        await takeIn(agent, name).catch(unlessMistaken)
      }
    } finally {
      await folder.close()
    }
  }

  const putOnDisk = async (agent: AgentRecord, name: AgentFileName, content: string) => {
    if (runsHere(agent)) await files.write(pathOf(agent.id, name), content)
  }

  return {
    read: (agent, name) => inTurn(agent.id, () => takeIn(agent, name)),
    look: (agent) => inTurn(agent.id, () => lookAt(agent)),
    write: (agent, name, content, baseRevision) =>
      inTurn(agent.id, async () => {
        const latest = await takeIn(agent, name)
        const newest = latest?.revision ?? 0
        if (baseRevision !== undefined && baseRevision !== newest) throw staleRevision(name, baseRevision, latest)
        if (latest && latest.content === content) return
        // The disk first: after a crash in between, the next look finds the new text and keeps it.
        await putOnDisk(agent, name, content)
        if (await records.appendFile({ agentId: agent.id, name, content, expectedRevision: newest })) return
        const winner = await records.latestFile(agent.id, name)
        await putOnDisk(agent, name, winner?.content ?? '')
        throw staleRevision(name, newest, winner)
      }),
    async fill(agent, texts) {
      for (const [name, content] of Object.entries(texts) as [AgentFileName, string][]) {
        await putOnDisk(agent, name, content)
      }
    },
    remove: (agentId) =>
      inTurn(agentId, async () => {
        for (const name of AGENT_FILE_NAMES) seen.delete(pathOf(agentId, name))
        await files.remove(agentId)
      }),
  }
}

function runsHere(agent: AgentRecord): boolean {
  return agent.runtime === NATIVE_ID
}

/** null when nothing is there. */
async function signatureOf(file: string): Promise<string | null> {
  const stats = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

/** Why a file is refused is told when it is opened. */
function unlessMistaken(error: unknown): void {
  if (error instanceof TypeError) throw error
}

/** What cannot be kept as it is must not be kept as something else. */
function textOf(bytes: Buffer, name: AgentFileName): string {
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString('utf8')
    if (text.length <= AGENT_FILE_MAX_CHARACTERS) return text
    const problem = `${name} in the workspace has more than ${AGENT_FILE_MAX_CHARACTERS} characters`
    throw new ClawbooError('file_too_large', `${problem}; nothing of it was taken in`, { details: { name } })
  }
  throw new ClawbooError('file_not_text', `${name} in the workspace is not text; nothing of it was taken in`, {
    details: { name },
  })
}
