import { type Capabilities, NO_CAPABILITIES } from '../executor/index.ts'
import { createMemoryAgentSource } from './memory-agent-source.ts'
import { createMemoryRuntimeAdapter } from './memory-runtime-adapter.ts'
import { scriptPrompt } from './memory-runtime-script.ts'
import { emptyRuntimeState } from './memory-runtime-state.ts'
import type { RuntimeAdapterFixture } from './runtime-adapter/fixture.ts'
import { describeRuntimeAdapterContract } from './runtime-adapter-contract.ts'

const openWith =
  (claims: Partial<Capabilities>, agreed: Partial<Capabilities> = {}) =>
  async (): Promise<RuntimeAdapterFixture> => {
    const state = emptyRuntimeState()
    const models: [string, ...string[]] = ['memory/boo', 'memory/other']
    const options = { claims, agreed, state, models }
    const adapter = createMemoryRuntimeAdapter(options)
    const source = createMemoryAgentSource('memory')
    const agent = await source.createAgent({ name: 'Ada' })
    return {
      adapter,
      claims: adapter.claims,
      agreed: adapter.capabilities(agent),
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
  readsFiles: true,
  ownModels: true,
  inspectable: true,
  hasWorkspace: true,
} as const

const NATIVE = { ...ALL, asksBeforeModelCall: true, runtimeClass: 'native' } as const

describeRuntimeAdapterContract('in memory, claiming everything', openWith(NATIVE))
describeRuntimeAdapterContract(
  'in memory, claiming everything and agreeing to nothing of it',
  openWith(NATIVE, { ...NO_CAPABILITIES, runtimeClass: 'native' }),
)
describeRuntimeAdapterContract('in memory, claiming nothing', openWith({}))
describeRuntimeAdapterContract(
  'in memory, connected, without streaming',
  openWith({ ...ALL, streaming: false, runtimeClass: 'connected-substrate' }),
)
