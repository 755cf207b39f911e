import { describeRuntimeAdapterContract, type RuntimeAdapterFixture } from '@clawboo/core/contract'
import { OPENCLAW_CLAIMS } from '../descriptor.ts'
import { startTestGateway } from '../stand-in/test-gateway.ts'
import { connectTestIntegration } from '../stand-in/test-integration.ts'
import { contractPrompt } from '../stand-in/test-scripted-prompt.ts'
import { HOLD_COMMAND } from '../stand-in/test-scripted-tools.ts'

const SOUL_LINE = 'You are kind to moss.'

/** The stand-in Gateway with two agents whose commands need approval. */
async function openFixture(): Promise<RuntimeAdapterFixture> {
  const files = new Map([['SOUL.md', SOUL_LINE]])
  const agents = ['ada', 'bob'].map((id) => ({ id, name: id, files }))
  const gateway = await startTestGateway({ agents })
  const opened = [await connectTestIntegration(gateway)]
  const { agentSource, runtime } = opened[0]!
  await agentSource.sync()
  const find = async (id: string) => {
    const agent = (await agentSource.listAgents()).find(({ sourceAgentId }) => sourceAgentId === id)!
    return agentSource.updateAgent(agent.id, { execConfig: { permissionMode: 'guarded' } })
  }
  const { tools, requests } = gateway.sessions.scripted
  return {
    adapter: runtime,
    claims: OPENCLAW_CLAIMS,
    agent: await find('ada'),
    otherAgent: await find('bob'),
    prompt: (script) => contractPrompt(script, { hold: HOLD_COMMAND, act: 'act' }, 'Please play this.'),
    releaseTools: async () => tools.release(),
    priceKnown: true,
    otherModel: 'scripted/other',
    soulLine: SOUL_LINE,
    modelCalls: () => requests.length,
    seenByModel: () => requests.flatMap(({ messages }) => messages.map(({ text }) => text)),
    ownFile: async (name) => tools.file('ada', name),
    crash: async () => gateway.restart(),
    async reopen() {
      const again = await connectTestIntegration(gateway, { over: opened[0]! })
      opened.push(again)
      return again.runtime
    },
    async dispose() {
      for (const one of opened.reverse()) await one.dispose()
      await gateway.close()
    },
  }
}

describeRuntimeAdapterContract('the stand-in for an OpenClaw Gateway', openFixture)
