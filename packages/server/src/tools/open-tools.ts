import type { Audit } from '../access/audit.ts'
import type { Store } from '../store/open-store.ts'
import { createToolBroker, type ToolBroker } from './tool-broker.ts'
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts'
import { createToolServerClient } from './tool-server-client.ts'

/** Outside MCP servers: what a person approved of them, and the broker that calls their tools. */
export interface Tools {
  readonly registry: ToolRegistry
  readonly broker: ToolBroker
}

export function openTools(options: {
  readonly store: Store
  readonly audit: Audit
  /** Names that no outside tool may use. */
  readonly ownTools: readonly string[]
}): Tools {
  const { store, audit, ownTools } = options
  const client = createToolServerClient()
  const registry = createToolRegistry({ store, client, ownTools })
  return { registry, broker: createToolBroker({ store, registry, client, audit }) }
}
