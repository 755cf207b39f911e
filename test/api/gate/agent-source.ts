import { ClawbooError } from '@clawboo/core'
import { type AgentEvent, type AgentSource, EventQueue } from '@clawboo/core/registry'
import type { IntegrationHost } from '../../../packages/server/src/integrations/host.ts'
import type { GateConnection } from './connection.ts'

export function createGateSource({ records }: IntegrationHost, connection: GateConnection): AgentSource {
  const events = new EventQueue<AgentEvent>()
  const reach = () => {
    if (connection.state !== 'connected') throw new ClawbooError('upstream_disconnected', 'the gate is not connected')
  }
  const reconcile = () =>
    records.reconcile({
      agents: connection.listed.map((name) => ({
        sourceAgentId: name,
        name,
        emoji: null,
        avatarUrl: null,
        sessionKey: null,
        isDefault: false,
      })),
      mainKey: null,
      newId: (name) => `gate-${name}`,
    })
  const refuse = async (): Promise<never> => {
    reach()
    throw new ClawbooError('upstream_disconnected', 'the gate takes no writes')
  }
  connection.onList = async () => void (await reconcile())
  connection.onState = (state) => events.push({ type: 'connection', sourceId: 'gate', state })

  return {
    id: 'gate',
    listAgents: (options) => records.list(options),
    getAgent: (id) => records.get(id),
    listTeams: (options) => records.listTeams(options),
    listSessions: (agentId) => records.listSessions(agentId),
    createAgent: refuse,
    updateAgent: (id, { name: _, ...patch }) => records.update(id, patch),
    deleteAgent: refuse,
    readFile: async (agentId, name) => (await records.latestFile(agentId, name))?.content ?? '',
    writeFile: refuse,
    start: () => connection.start(),
    async stop() {
      connection.stop()
      events.end()
    },
    health: async () => ({ state: connection.state, lastSyncAt: await records.lastSyncAt() }),
    async sync() {
      reach()
      return reconcile()
    },
    async removeGhosts() {
      reach()
      await reconcile()
      const ghosts = (await records.list({ includeArchived: true })).filter((agent) => agent.archivedAt !== null)
      for (const { id } of ghosts) await records.remove(id)
      return { removed: ghosts.map(({ id }) => id) }
    },
    events: () => events.subscribe(),
  }
}
