import { type AgentSourceFixture, describeAgentSourceContract } from '@clawboo/core/contract'
import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { expect } from 'vitest'
import { startTestGateway } from './stand-in/test-gateway.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'
import { recordedVersions } from './stand-in/test-recordings.ts'
import { versionFacts } from './stand-in/test-version-facts.ts'

async function openFixture(version: string): Promise<AgentSourceFixture> {
  const facts = versionFacts(version)
  const gateway = await startTestGateway({ version })
  const { agentSource: source, line, dispose } = await connectTestIntegration(gateway)
  await source.sync()
  return {
    source,
    unsupportedFiles: AGENT_FILE_NAMES.filter((name) => !facts.files.includes(name)),
    bornWith: AGENT_FILE_NAMES.filter((name) => facts.bornWith.includes(name)),
    upstream: {
      put: async ({ sourceAgentId: id, name, emoji }) => void gateway.fleet.put({ id, name, emoji }),
      async remove(sourceAgentId) {
        gateway.fleet.remove(sourceAgentId)
      },
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

for (const version of recordedVersions())
  describeAgentSourceContract(`the stand-in for OpenClaw ${version}`, () => openFixture(version))
