import type { Capabilities } from '../executor/index.ts'
import { createMemoryAgentSource } from './memory-agent-source.ts'
import { createMemoryRuntimeAdapter } from './memory-runtime-adapter.ts'
import { scriptPrompt } from './memory-runtime-script.ts'
import { emptyRuntimeState } from './memory-runtime-state.ts'
import type { RuntimeAdapterFixture } from './runtime-adapter/fixture.ts'
import { describeRuntimeAdapterContract } from './runtime-adapter-contract.ts'

const openWith = (claims: Partial<Capabilities>) => async (): Promise<RuntimeAdapterFixture> => {
  const state = emptyRuntimeState()
  const models: [string, ...string[]] = ['memory/boo', 'memory/other']
  const options = { claims, state, soul: 'You are kind to moss.', models }
  const adapter = createMemoryRuntimeAdapter(options)
  const source = createMemoryAgentSource('memory')
  const agent = await source.createAgent({ name: 'Ada' })
  return {
    adapter,
    agent,
    otherAgent: await source.createAgent({ name: 'Bob' }),
    prompt: scriptPrompt,
    releaseTools: async () => state.release.resolve(),
    priceKnown: false,
    otherModel: 'memory/other',
    soulLine: 'You are kind to moss.',
    modelCalls: () => state.modelCalls,
    seenByModel: () => state.seenByModel,
    ownFile: async (name) => state.files.get(`${agent.id}/${name}`) ?? null,
    crash: () => adapter.crash(),
    reopen: async () => createMemoryRuntimeAdapter(options),
  }
}

const ALL = {
  streaming: true,
  mcp: true,
  worktrees: true,
  resume: true,
  steering: true,
  toolApproval: true,
  models: true,
} as const

describeRuntimeAdapterContract('in memory, claiming everything', openWith({ ...ALL, runtimeClass: 'native' }))
describeRuntimeAdapterContract('in memory, claiming nothing', openWith({}))
describeRuntimeAdapterContract(
  'in memory, connected, without streaming',
  openWith({ ...ALL, streaming: false, runtimeClass: 'connected-substrate' }),
)
