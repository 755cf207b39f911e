import { ClawbooError } from '../clawboo-error.ts'
import type { RuntimeId } from '../registry/index.ts'
import type { RuntimeAdapter } from './runtime-adapter.ts'

/** Every runtime of the host by its id. */
export class RuntimeRegistry {
  readonly #adapters = new Map<RuntimeId, RuntimeAdapter>()

  /** A second adapter for the same id is a mistake in the list. */
  register(adapter: RuntimeAdapter): void {
    if (this.#adapters.has(adapter.id)) throw new TypeError(`the runtime "${adapter.id}" is registered twice`)
    this.#adapters.set(adapter.id, adapter)
  }

  find(id: RuntimeId): RuntimeAdapter | null {
    return this.#adapters.get(id) ?? null
  }

  /** Throws `runtime_not_found`. */
  get(id: RuntimeId): RuntimeAdapter {
    const adapter = this.find(id)
    if (!adapter) {
      throw new ClawbooError('runtime_not_found', `there is no runtime "${id}" that can run an agent`, {
        details: { runtime: id },
      })
    }
    return adapter
  }

  list(): readonly RuntimeAdapter[] {
    return [...this.#adapters.values()]
  }

  /** One that fails to let go does not keep the others. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.list().map(async (adapter) => adapter.dispose?.()))
  }
}
