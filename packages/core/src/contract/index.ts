export { type AgentSourceFixture, describeAgentSourceContract } from './agent-source-contract.ts'
export { createMemoryAgentSource, emptyUpstream, type MemoryUpstream } from './memory-agent-source.ts'
export {
  catalogueOf,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  definitionOf,
  type MemoryRuntimeAdapter,
  type MemoryRuntimeOptions,
} from './memory-runtime-adapter.ts'
export { scriptPrompt } from './memory-runtime-script.ts'
export { emptyRuntimeState, type MemoryRuntimeState, type MemorySession } from './memory-runtime-state.ts'
export type { RuntimeAdapterFixture } from './runtime-adapter/fixture.ts'
export type { RuntimeScript, RuntimeScriptStep } from './runtime-adapter/script.ts'
export { describeRuntimeAdapterContract } from './runtime-adapter-contract.ts'
