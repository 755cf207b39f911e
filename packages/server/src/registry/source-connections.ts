import { ClawbooError } from '@clawboo/core'
import type {
  AgentRegistry,
  AgentSource,
  ConnectionRequest,
  ConnectionView,
  RuntimeId,
  SourceConnection,
  SourceToolPolicy,
} from '@clawboo/core/registry'
import type { RecordChange } from './record-change.ts'

export type SourceConnections = ReturnType<typeof createSourceConnections>

interface SourceConnectionsDependencies {
  readonly registry: AgentRegistry
  readonly connections: ReadonlyMap<RuntimeId, SourceConnection>
  readonly toolPolicies: ReadonlyMap<RuntimeId, SourceToolPolicy>
  readonly record: RecordChange
  /** Ends an agent's work. Call the returned function after the removal; it never rejects. */
  readonly beforeRemove: (agentId: string) => Promise<() => Promise<void>>
}

/**
 * Manages the connections of sources for a person. Every call throws `source_not_found` for an unknown source. Every
 * change is audited and published; a secret is passed on and never stored.
 */
export function createSourceConnections(dependencies: SourceConnectionsDependencies) {
  const { registry, connections, toolPolicies, record, beforeRemove } = dependencies
  const sourceNamed = (sourceId: string) => {
    const source = registry.get(sourceId)
    if (source) return source
    throw new ClawbooError('source_not_found', `there is no source "${sourceId}"`, { details: { sourceId } })
  }
  const connectionOf = (sourceId: string) => {
    const { id } = sourceNamed(sourceId)
    return connections.get(id) ?? unsupported(sourceId, 'has nothing to connect')
  }
  const policyOf = (sourceId: string) => {
    const { id } = sourceNamed(sourceId)
    return toolPolicies.get(id) ?? unsupported(sourceId, 'has no tool policy')
  }
  // The source may send no event, for example when its state stays the same.
  const publish = (action: string, subject: RuntimeId, detail: unknown) =>
    record({ action, subject }, async () => ({
      result: undefined,
      events: [{ type: 'source-status', sourceId: subject }],
      detail,
    }))

  return {
    sync: async (sourceId: string) => sourceNamed(sourceId).sync(),
    /** This method and all below throw `connection_unsupported` when the source does not support them. */
    read: async (sourceId: string) => connectionOf(sourceId).read(),
    discover: async (sourceId: string) => connectionOf(sourceId).discover(),
    async connect(sourceId: string, request: ConnectionRequest) {
      const connection = connectionOf(sourceId)
      const view = await connection.connect(request).catch((error: unknown) => {
        throw withoutSecret(error, request.secret)
      })
      const { state, problem } = view
      await publish('source.connect', sourceId, { address: request.address, state, problem: problem?.code ?? null })
      return withSecretBlanked(view, request.secret)
    },
    async disconnect(sourceId: string) {
      const connection = connectionOf(sourceId)
      const { address } = await connection.read()
      const view = await connection.disconnect()
      await publish('source.disconnect', sourceId, { address })
      return view
    },
    toolPolicy: async (sourceId: string) => policyOf(sourceId).read(),
    async changeToolPolicy(sourceId: string, change: Parameters<SourceToolPolicy['change']>[0]) {
      const policy = await policyOf(sourceId).change(change)
      await publish('source.tool-policy', sourceId, change)
      return policy
    },
    /** Resolves to the ids of the removed agents. */
    removeGhosts: async (sourceId: string) => removeGhosts(sourceNamed(sourceId), beforeRemove),
  }
}

async function removeGhosts(
  source: AgentSource,
  beforeRemove: SourceConnectionsDependencies['beforeRemove'],
): Promise<readonly string[]> {
  if (!source.removeGhosts) return unsupported(source.id, 'has no agents that can vanish')
  const release = await holdGhosts(source, beforeRemove)
  try {
    return (await source.removeGhosts()).removed
  } finally {
    await release()
  }
}

/** Ends the waiting work of archived agents, which would write to the data that is being removed. */
async function holdGhosts(
  source: AgentSource,
  beforeRemove: SourceConnectionsDependencies['beforeRemove'],
): Promise<() => Promise<void>> {
  const everyone = await source.listAgents({ includeArchived: true })
  const ghosts = everyone.filter((agent) => agent.archivedAt !== null)
  const holding = await Promise.allSettled(ghosts.map(({ id }) => beforeRemove(id)))
  const release = async () => {
    await Promise.all(holding.map((held) => held.status === 'fulfilled' && held.value()))
  }
  const failed = holding.find((held) => held.status === 'rejected')
  if (!failed) return release
  await release()
  throw failed.reason
}

function unsupported(sourceId: string, why: string): never {
  throw new ClawbooError('connection_unsupported', `the source "${sourceId}" ${why}`, { details: { sourceId } })
}

const blank = (text: string, secret: string) => text.replaceAll(secret, '[the secret]')

/** Removes the secret, which an upstream may repeat in its refusal, from the data for the page. */
function withSecretBlanked(view: ConnectionView, secret: string | undefined): ConnectionView {
  if (secret === undefined) return view
  const { version, problem } = view
  return {
    ...view,
    version: version && blank(version, secret),
    problem: problem && {
      code: problem.code,
      message: blank(problem.message, secret),
      remedy: blank(problem.remedy, secret),
    },
  }
}

/** Removes the secret from an error, which goes into a response or, with its stack and causes, into the log. */
function withoutSecret(error: unknown, secret: string | undefined): unknown {
  if (secret === undefined || !(error instanceof Error)) return error
  if (error instanceof ClawbooError) {
    const details = JSON.stringify(error.details).includes(JSON.stringify(secret).slice(1, -1)) ? {} : error.details
    return new ClawbooError(error.code, blank(error.message, secret), { details })
  }
  const clean = new Error(blank(error.message, secret))
  clean.stack = blank(error.stack ?? '', secret)
  return clean
}
