import type { Audit } from '../access/audit.ts'
import type { Store } from '../store/open-store.ts'
import { createToolBroker } from './tool-broker.ts'
import { createToolRegistry } from './tool-registry.ts'
import { createToolServerClient } from './tool-server-client.ts'

export type Tools = ReturnType<typeof openTools>

/** Outside MCP servers: what a person approved of them, and the broker that calls their tools. */
export function openTools(options: {
  readonly store: Store
  readonly audit: Audit
  /** Names that no outside tool may use. */
  readonly ownTools: readonly string[]
}) {
  const { store, audit, ownTools } = options
  const client = createToolServerClient()
  const registry = createToolRegistry({ store, client, ownTools })
  return { registry, broker: createToolBroker({ store, registry, client, audit }) }
}
