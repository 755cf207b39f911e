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

interface Dependencies {
  readonly records: SourceRecords
  readonly runtimes: RuntimeRegistry
  readonly filesOf: RuntimeFiles
}

/**
 * The working copies of an agent's files, for runtimes that claim them: the agent edits them in the folder `workspace`
 * of its home. The database stores the revisions; the next read stores a change on disk as a new one. Other runtimes
 * have only the revisions.
 */
export function createWorkingCopies(dependencies: Dependencies) {
  const { records } = dependencies
  /**
   * One read or write at a time per agent, so that the base that a write has checked is still the newest when it is
   * stored.
   */
  const inOrder = createInOrderByKey()
  /** The signature of each file at the last read, by agent and name. */
  const seen = new Map<string, string>()
  return {
    /** Returns the newest text, after storing a change on disk; null = never written. */
    read: (agent: AgentRecord, name: AgentFileName) => inOrder(agent.id, () => takeIn(dependencies, agent, name)),
    /** Stores every change on disk since the last read. Skips files that cannot be stored. */
    look: (agent: AgentRecord) => inOrder(agent.id, () => lookAt(dependencies, seen, agent)),
    write: (agent: AgentRecord, name: AgentFileName, content: string, baseRevision?: number) =>
      inOrder(agent.id, async () => {
        const latest = await takeIn(dependencies, agent, name)
        const newest = latest?.revision ?? 0
        if (baseRevision !== undefined && baseRevision !== newest) throw staleRevision(name, baseRevision, latest)
        if (latest && latest.content === content) return
        // Write to the disk first: after a crash in between, the next read finds the new text and stores it.
        await putOnDisk(dependencies, agent, name, content)
        if (await records.appendFile({ agentId: agent.id, name, content, expectedRevision: newest })) return
        const winner = await records.latestFile(agent.id, name)
        await putOnDisk(dependencies, agent, name, winner?.content ?? '')
        throw staleRevision(name, newest, winner)
      }),
    /** Writes the first texts to the disk. */
    async fill(agent: AgentRecord, texts: Readonly<Partial<Record<AgentFileName, string>>>) {
      for (const [name, content] of Object.entries(texts) as [AgentFileName, string][])
        await putOnDisk(dependencies, agent, name, content)
    },
    /** Removes the agent's homes at all runtimes. */
    removeHomes: (agentId: string) =>
      inOrder(agentId, async () => {
        for (const name of AGENT_FILE_NAMES) seen.delete(pathOf(agentId, name))
        const lasting = dependencies.runtimes.list().filter(({ plan }) => plan.home === 'persistent')
        for (const { id } of lasting) await dependencies.filesOf(id).remove(agentId)
      }),
  }
}

function pathOf(agentId: string, name: AgentFileName): string {
  return `${agentId}/workspace/${name}`
}

/** Returns null for an agent whose runtime has no working copies. */
function filesFor({ runtimes, filesOf }: Dependencies, { runtime }: AgentRecord): ContainedFiles | null {
  return runtimes.find(runtime)?.descriptor.claims.workingCopies ? filesOf(runtime) : null
}

async function takeIn(
  dependencies: Dependencies,
  agent: AgentRecord,
  name: AgentFileName,
): Promise<AgentFileRevision | null> {
  const { records } = dependencies
  const latest = await records.latestFile(agent.id, name)
  await removeElsewhere(dependencies, agent, name)
  const files = filesFor(dependencies, agent)
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
  return appended ?? takeIn(dependencies, agent, name)
}

/** Removes the copies at runtimes that the agent has left: they would look like edits when the agent returns. */
async function removeElsewhere(
  { runtimes, filesOf }: Dependencies,
  agent: AgentRecord,
  name: AgentFileName,
): Promise<void> {
  for (const { id, descriptor } of runtimes.list())
    if (id !== agent.runtime && descriptor.claims.workingCopies) await filesOf(id).remove(pathOf(agent.id, name))
}

async function lookAt(dependencies: Dependencies, seen: Map<string, string>, agent: AgentRecord): Promise<void> {
  const folder = await filesFor(dependencies, agent)?.folder(`${agent.id}/workspace`).enter('')
  if (!folder) return
  try {
    for (const name of AGENT_FILE_NAMES) {
      const signature = await signatureOf(join(folder.at, name))
      const path = pathOf(agent.id, name)
      if (signature === null || signature === seen.get(path)) continue
      // Noted before the read, so that the next one finds a change in between.
      seen.set(path, signature)
      await takeIn(dependencies, agent, name).catch(unlessMistaken)
    }
  } finally {
    await folder.close()
  }
}

async function putOnDisk(
  dependencies: Dependencies,
  agent: AgentRecord,
  name: AgentFileName,
  content: string,
): Promise<void> {
  await filesFor(dependencies, agent)?.write(pathOf(agent.id, name), content)
}

/** Resolves to null when no file exists. */
async function signatureOf(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(absentAsNull)
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

/** Ignores a refused file: the reason is shown when a person opens it. */
function unlessMistaken(error: unknown): void {
  if (error instanceof TypeError) throw error
}

/** Decodes a text exactly or refuses it: an altered text must not be stored. */
function textOf(bytes: Buffer, name: AgentFileName): string {
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString('utf8')
    if (text.length <= AGENT_FILE_MAX_CHARACTERS) return text
    const problem = `${name} in the workspace has more than ${AGENT_FILE_MAX_CHARACTERS} characters`
    throw new ClawbooError('file_too_large', `${problem}, so it was not stored`, { details: { name } })
  }
  throw new ClawbooError('file_not_text', `${name} in the workspace is not text, so it was not stored`, {
    details: { name },
  })
}
