import { ClawbooError } from '@clawboo/core'
import { type AgentEvent, type AgentSource, EventQueue, type UpstreamAgent } from '@clawboo/core/registry'
import type { IntegrationHost } from '../../packages/server/src/integrations/host.ts'

/** A source with a list that never changes: the minimum that satisfies the reading half of the contract. */
export function createExampleAgentSource(host: IntegrationHost): AgentSource {
  const { records } = host
  const events = new EventQueue<AgentEvent>()
  const upstream: UpstreamAgent[] = ['moss', 'fern'].map((name, at) => ({
    sourceAgentId: name,
    name,
    emoji: null,
    avatarUrl: null,
    sessionKey: `agent:${name}:main`,
    isDefault: at === 0,
  }))
  const refuse = async (): Promise<never> => {
    throw new ClawbooError('upstream_disconnected', 'the example upstream accepts no writes')
  }
  const sync = () => records.reconcile({ agents: upstream, mainKey: 'main', newId: (id) => `example-${id}` })

  return {
    id: 'example',
    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    listSessions: (agentId) => records.listSessions(agentId),
    createAgent: refuse,
    updateAgent: (id, { name, ...patch }) =>
      records.update(id, { ...patch, ...(name === undefined ? {} : { nameOverride: name }) }),
    deleteAgent: refuse,
    readFile: async (agentId, name) => (await records.latestFile(agentId, name))?.content ?? '',
    writeFile: refuse,
    start: async () => void (await sync()),
    stop: async () => events.end(),
    health: async () => ({ state: 'connected', lastSyncAt: await records.lastSyncAt() }),
    sync,
    events: () => events.subscribe(),
  }
}
