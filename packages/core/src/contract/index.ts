export { type AgentSourceFixture, describeAgentSourceContract } from './agent-source-contract.ts'
export { createMemoryAgentSource, emptyUpstream, type MemoryUpstream } from './memory-agent-source.ts'
