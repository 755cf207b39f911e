import type { RuntimeAdapter } from './runtime-adapter.ts'
import type { RuntimeDescriptor } from './runtime-descriptor.ts'

/** A runtime in two stages: data before it is loaded, behaviour afterwards. */
export interface RuntimeDefinition {
  readonly descriptor: RuntimeDescriptor
  /** Returns the config as it is stored. Throws `agent_config_invalid`, which names the field. Loads its schema when first called. */
  checkExecConfig(config: unknown): Promise<unknown>
  /** Called by the host at the first use of the runtime, and again only after a failure. */
  load(): Promise<RuntimeAdapter>
}

/** The runtimes that an integration offers. They may change while the server runs. */
export interface RuntimeCatalogue {
  list(): readonly RuntimeDefinition[]
  /** Calls the listener after each change. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void
}

/** A catalogue that never changes. */
export function fixedCatalogue(...definitions: readonly RuntimeDefinition[]): RuntimeCatalogue {
  return { list: () => definitions, onChange: () => () => {} }
}
