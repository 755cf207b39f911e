import type { AgentFileName, AgentFileRevision, AgentFileRevisionInfo } from '@clawboo/core/registry'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Workspaces } from '../../executor/runtimes/workspaces.ts'
import type { AgentFiles } from '../../registry/agent-files.ts'
import type { Agents } from '../../registry/agents.ts'
import type { Fleet } from '../../registry/fleet.ts'
import type { Handlers } from '../app.ts'

export function agentRoutes({ agents, files, fleet }: { agents: Agents; files: AgentFiles; fleet: Fleet }) {
  return {
    async listAgents({ query, incoming, outgoing }) {
      const { tag, body } = await fleet.read({ ...query, includeArchived: query.includeArchived === 'true' })
      const headers = { etag: tag, 'cache-control': 'no-cache', 'content-type': 'application/json' }
      // Written directly to the socket: a Response object around a large body costs as much as sending it.
      if (namesTag(incoming.headers['if-none-match'], tag)) outgoing.writeHead(304, headers).end()
      else outgoing.writeHead(200, { ...headers, 'content-length': body.length }).end(body)
      return RESPONSE_ALREADY_SENT
    },
    createAgent: ({ body }) => agents.create(body),
    getAgent: ({ params }) => agents.get(params.agentId),
    updateAgent: ({ params, body }) => agents.update(params.agentId, body),
    deleteAgent: async ({ params }) => void (await agents.remove(params.agentId)),
    moveAgent: ({ params, body }) => agents.move(params.agentId, body.runtime),
    listAgentSessions: async ({ params }) => ({ sessions: await agents.sessions(params.agentId) }),

    async listAgentFiles({ params }) {
      const entries = await files.list(params.agentId)
      return { files: entries.map(({ name, latest }) => ({ name, latest: latest && revisionInfo(latest) })) }
    },
    async readAgentFile({ params: { agentId, fileName }, query }) {
      const revision = query.revision
      const found =
        revision === undefined
          ? await files.read(agentId, fileName)
          : await files.readRevision(agentId, fileName, revision)
      return found ? fileContent(found) : neverWritten(fileName)
    },
    async writeAgentFile({ params: { agentId, fileName }, body }) {
      return fileContent(await files.write(agentId, fileName, body.content, body.baseRevision))
    },
    async listAgentFileHistory({ params: { agentId, fileName }, query }) {
      const revisions = await files.history(agentId, fileName, { limit: query.limit ?? 50, before: query.before })
      return { name: fileName, revisions: revisions.map(revisionInfo) }
    },
  } satisfies Partial<Handlers>
}

/** A proxy may have weakened the tag. */
function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((name) => name.trim() === '*' || name.trim().replace(/^W\//, '') === tag) ?? false
}

function fileContent({ name, revision, content, hash, author, createdAt }: AgentFileRevision) {
  return { name, revision, content, hash, author, createdAt }
}

function revisionInfo({ revision, hash, bytes, author, createdAt }: AgentFileRevisionInfo) {
  return { revision, hash, bytes, author, createdAt }
}

function neverWritten(name: AgentFileName) {
  return { name, revision: 0, content: '', hash: '', author: null, createdAt: null }
}

export function workspaceRoutes({ workspaces }: { workspaces: Workspaces }) {
  return {
    listWorkspace: ({ params, query }) => workspaces.list(params.agentId, query.path ?? ''),
    readWorkspaceFile: ({ params, query }) => workspaces.read(params.agentId, query.path),
  } satisfies Partial<Handlers>
}
