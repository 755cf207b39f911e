import { type AgentSourceFixture, describeAgentSourceContract } from '@clawboo/core/contract'
import type { UpstreamAgent } from '@clawboo/core/registry'
import { expect, inject } from 'vitest'
import { createGatewayConnection } from '../../../packages/server/src/integrations/openclaw/gateway/gateway-connection.ts'
import { createUpstreamAgents } from '../../../packages/server/src/integrations/openclaw/upstream-agents.ts'
import { connectIntegration } from './open-integration.ts'

const shared = inject('openclaw')

/** All rules share one Gateway, so each starts by reducing it to the main agent. */
async function openFixture(): Promise<AgentSourceFixture> {
  const gateway = createGatewayConnection({ now: Date.now, deviceKeys: () => Promise.reject(new Error('not needed')) })
  await gateway.open({ address: shared.url, secret: shared.token })
  const upstream = createUpstreamAgents(gateway)
  for (const { sourceAgentId, isDefault } of (await upstream.list()).agents)
    if (!isDefault) await upstream.remove(sourceAgentId)
  const { agentSource: source, line, dispose } = await connectIntegration(shared)
  await source.sync()
  return {
    source,
    unsupportedFiles: ['TOOLS.md', 'HEARTBEAT.md'],
    upstream: {
      async put({ sourceAgentId, emoji }: UpstreamAgent) {
        const isThere = (await upstream.list()).agents.some((agent) => agent.sourceAgentId === sourceAgentId)
        if (!isThere) await upstream.create(sourceAgentId, emoji)
        else if (emoji !== null) await upstream.update(sourceAgentId, { emoji })
      },
      remove: (sourceAgentId) => upstream.remove(sourceAgentId),
      async disconnect() {
        line.cut()
        await expect.poll(async () => (await source.health()).state).toBe('reconnecting')
      },
    },
    async dispose() {
      await dispose()
      await gateway.close()
    },
  }
}

describeAgentSourceContract('a real OpenClaw Gateway', openFixture)
