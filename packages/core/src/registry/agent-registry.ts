import type { AgentSource } from './agent-source.ts'
import type { RuntimeId } from './runtime-id.ts'

/** The registered sources, by id. */
export class AgentRegistry {
  readonly #sources = new Map<RuntimeId, AgentSource>()

  register(source: AgentSource): void {
    if (this.#sources.has(source.id)) throw new TypeError(`an AgentSource named "${source.id}" is already registered`)
    this.#sources.set(source.id, source)
  }

  unregister(id: RuntimeId): void {
    this.#sources.delete(id)
  }

  get(id: RuntimeId): AgentSource | undefined {
    return this.#sources.get(id)
  }

  has(id: RuntimeId): boolean {
    return this.#sources.has(id)
  }

  /** In order of registration. */
  list(): AgentSource[] {
    return [...this.#sources.values()]
  }

  /** The first registered source. */
  default(): AgentSource {
    for (const source of this.#sources.values()) return source
    throw new TypeError('no AgentSource is registered')
  }
}
