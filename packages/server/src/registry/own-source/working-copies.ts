import { isUtf8 } from 'node:buffer'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError, createInOrderByKey } from '@clawboo/core'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import {
  AGENT_FILE_MAX_CHARACTERS,
  AGENT_FILE_NAMES,
  type AgentFileName,
  type AgentFileRevision,
  type AgentRecord,
  type RuntimeId,
  type SourceRecords,
  staleRevision,
  WORKSPACE_AUTHOR,
} from '@clawboo/core/registry'
import { absentAsNull } from '../../access/absent-file.ts'
import type { ContainedFiles } from '../../access/contained-path.ts'

/** The files below the folder of one runtime, in which each of its agents has a home. */
export type RuntimeFiles = (runtime: RuntimeId) => ContainedFiles

export type WorkingCopies = ReturnType<typeof createWorkingCopies>

interface Parts {
  readonly records: SourceRecords
  readonly runtimes: RuntimeRegistry
  readonly filesOf: RuntimeFiles
}

/**
 * The working copies of an agent's files, for runtimes that claim them: they lie in `workspace` in the agent's home, where
 * the agent edits them. The database stores the revisions; a change on disk becomes one at the next look. For any other
 * runtime the revisions are all there is.
 */
export function createWorkingCopies(parts: Parts) {
  const { records } = parts
  /** One look or write at a time per agent, so that a write's check of its base still holds when it lands. */
  const inOrder = createInOrderByKey()
  /** The signature of each file at the last look, by agent and name. */
  const seen = new Map<string, string>()
  return {
    /** The newest text, after taking in a change on disk; null = never written. */
    read: (agent: AgentRecord, name: AgentFileName) => inOrder(agent.id, () => takeIn(parts, agent, name)),
    /** Takes in every change on disk since the last look. A file that cannot be taken in stays out. */
    look: (agent: AgentRecord) => inOrder(agent.id, () => lookAt(parts, seen, agent)),
    write: (agent: AgentRecord, name: AgentFileName, content: string, baseRevision?: number) =>
      inOrder(agent.id, async () => {
        const latest = await takeIn(parts, agent, name)
        const newest = latest?.revision ?? 0
        if (baseRevision !== undefined && baseRevision !== newest) throw staleRevision(name, baseRevision, latest)
        if (latest && latest.content === content) return
        // The disk first: after a crash in between, the next look finds the new text and stores it.
        await putOnDisk(parts, agent, name, content)
        if (await records.appendFile({ agentId: agent.id, name, content, expectedRevision: newest })) return
        const winner = await records.latestFile(agent.id, name)
        await putOnDisk(parts, agent, name, winner?.content ?? '')
        throw staleRevision(name, newest, winner)
      }),
    /** Puts first texts on disk. */
    async fill(agent: AgentRecord, texts: Readonly<Partial<Record<AgentFileName, string>>>) {
      for (const [name, content] of Object.entries(texts) as [AgentFileName, string][])
        await putOnDisk(parts, agent, name, content)
    },
    /** Removes the agent's homes at all runtimes. */
    removeHomes: (agentId: string) =>
      inOrder(agentId, async () => {
        for (const name of AGENT_FILE_NAMES) seen.delete(pathOf(agentId, name))
        const lasting = parts.runtimes.list().filter(({ plan }) => plan.home === 'persistent')
        for (const { id } of lasting) await parts.filesOf(id).remove(agentId)
      }),
  }
}

function pathOf(agentId: string, name: AgentFileName): string {
  return `${agentId}/workspace/${name}`
}

/** null for an agent whose runtime keeps no working copies. */
function filesFor({ runtimes, filesOf }: Parts, { runtime }: AgentRecord): ContainedFiles | null {
  return runtimes.find(runtime)?.descriptor.claims.workingCopies ? filesOf(runtime) : null
}

async function takeIn(parts: Parts, agent: AgentRecord, name: AgentFileName): Promise<AgentFileRevision | null> {
  const { records } = parts
  const latest = await records.latestFile(agent.id, name)
  await removeElsewhere(parts, agent, name)
  const files = filesFor(parts, agent)
  if (!files) return latest
  const bytes = await files.read(pathOf(agent.id, name))
  const onDisk = bytes && textOf(bytes, name)
  if (onDisk === null) {
    // A missing file is a lost copy, not an edit: a folder that was moved away must not empty the agent.
    if (latest) await files.write(pathOf(agent.id, name), latest.content)
    return latest
  }
  if (onDisk === (latest?.content ?? '')) return latest
  const appended = await records.appendFile({
    agentId: agent.id,
    name,
    content: onDisk,
    expectedRevision: latest?.revision ?? 0,
    author: WORKSPACE_AUTHOR,
  })
  return appended ?? takeIn(parts, agent, name)
}

/** A copy at a runtime that the agent has left would pass for an edit when the agent is back. */
async function removeElsewhere({ runtimes, filesOf }: Parts, agent: AgentRecord, name: AgentFileName): Promise<void> {
  for (const { id, descriptor } of runtimes.list())
    if (id !== agent.runtime && descriptor.claims.workingCopies) await filesOf(id).remove(pathOf(agent.id, name))
}

async function lookAt(parts: Parts, seen: Map<string, string>, agent: AgentRecord): Promise<void> {
  const folder = await filesFor(parts, agent)?.folder(`${agent.id}/workspace`).enter('')
  if (!folder) return
  try {
    for (const name of AGENT_FILE_NAMES) {
      const signature = await signatureOf(join(folder.at, name))
      const path = pathOf(agent.id, name)
      if (signature === null || signature === seen.get(path)) continue
      // Before it is read: a change during the read is found at the next look.
      seen.set(path, signature)
      await takeIn(parts, agent, name).catch(unlessMistaken)
    }
  } finally {
    await folder.close()
  }
}

async function putOnDisk(parts: Parts, agent: AgentRecord, name: AgentFileName, content: string): Promise<void> {
  await filesFor(parts, agent)?.write(pathOf(agent.id, name), content)
}

/** null when nothing is there. */
async function signatureOf(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(absentAsNull)
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

/** The reason why a file is refused is shown when a person opens it. */
function unlessMistaken(error: unknown): void {
  if (error instanceof TypeError) throw error
}

/** A text that cannot be stored as it is must not be stored as another one. */
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
