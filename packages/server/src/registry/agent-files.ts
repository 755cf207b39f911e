import { ClawbooError } from '@clawboo/core'
import { AGENT_FILE_NAMES, type AgentFileName } from '@clawboo/core/registry'
import type { Store } from '../store/open-store.ts'
import type { Agents } from './agents.ts'

export type AgentFiles = ReturnType<typeof createAgentFiles>

/** The files of an agent and their earlier revisions. */
export function createAgentFiles(store: Store, agents: Agents) {
  return {
    async list(agentId: string) {
      await agents.get(agentId)
      const source = await agents.sourceOf(agentId).catch(unlessMistaken)
      await source?.lookAtFiles?.(agentId).catch(unlessMistaken)
      const newest = new Map((await store.agentFiles.latestAll(agentId)).map((info) => [info.name, info]))
      return AGENT_FILE_NAMES.map((name) => ({ name, latest: newest.get(name) ?? null }))
    },
    /** Reads the newest text after checking the source; null when it was never written. */
    async read(agentId: string, name: AgentFileName) {
      const source = await agents.sourceOf(agentId)
      await source.readFile(agentId, name)
      return store.agentFiles.latest(agentId, name)
    },
    /** Throws `revision_not_found`. */
    async readRevision(agentId: string, name: AgentFileName, revision: number) {
      await agents.get(agentId)
      const found = await store.agentFiles.get(agentId, name, revision)
      if (!found)
        throw new ClawbooError('revision_not_found', `${name} has no revision ${revision}`, {
          details: { name, revision },
        })
      return found
    },
    /** Throws `file_revision_stale` with the newest text when `baseRevision` is not the newest. */
    async write(agentId: string, name: AgentFileName, content: string, baseRevision: number) {
      const source = await agents.sourceOf(agentId)
      await source.writeFile(agentId, name, content, { baseRevision })
      const written = await store.agentFiles.latest(agentId, name)
      if (written) return written
      // Throws when the agent was deleted after the write.
      await agents.get(agentId)
      throw new TypeError(`the source "${source.id}" stored no revision of ${name}`)
    },
    async history(agentId: string, name: AgentFileName, page: { limit: number; before?: number }) {
      await agents.get(agentId)
      return store.agentFiles.history(agentId, name, page)
    },
  }
}

/** Ignores files and sources that cannot be read: they show the reason when a person opens them. */
function unlessMistaken(error: unknown): null {
  if (error instanceof TypeError) throw error
  return null
}
