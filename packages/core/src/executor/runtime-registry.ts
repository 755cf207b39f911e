import { ClawbooError } from '../clawboo-error.ts'
import type { RuntimeId } from '../registry/index.ts'
import { LazyRuntime } from './lazy-runtime.ts'
import type { RuntimeCatalogue, RuntimeDefinition } from './runtime-definition.ts'

/** All runtimes of the host by id, as the integrations' catalogues currently list them. */
export class RuntimeRegistry {
  readonly #catalogues: RuntimeCatalogue[] = []
  readonly #leave: (() => void)[] = []
  /** Runtimes that were removed from a catalogue and are still being disposed of. */
  readonly #leaving = new Set<Promise<unknown>>()
  #runtimes: ReadonlyMap<RuntimeId, LazyRuntime> = new Map()

  /**
   * Adds the runtimes of a catalogue and follows its changes. Throws if an id is listed twice, and then changes
   * nothing.
   */
  follow(catalogue: RuntimeCatalogue): void {
    this.#runtimes = this.#readAll([...this.#catalogues, catalogue])
    this.#catalogues.push(catalogue)
    this.#leave.push(catalogue.onChange(() => this.#refresh()))
  }

  find(id: RuntimeId): LazyRuntime | null {
    return this.#runtimes.get(id) ?? null
  }

  /** Throws `runtime_not_found`. */
  get(id: RuntimeId): LazyRuntime {
    const runtime = this.find(id)
    if (!runtime) {
      const known = [...this.#runtimes.keys()].join(', ')
      throw new ClawbooError('runtime_not_found', `there is no runtime "${id}"; known: ${known}`, {
        details: { runtime: id, field: 'runtime' },
      })
    }
    return runtime
  }

  /** In the order of the catalogues. */
  list(): readonly LazyRuntime[] {
    return [...this.#runtimes.values()]
  }

  /** Disposes of every loaded runtime, even if one of them fails. */
  async dispose(): Promise<void> {
    for (const leave of this.#leave.splice(0)) leave()
    await Promise.allSettled([...this.list().map((runtime) => runtime.dispose()), ...this.#leaving])
  }

  #refresh(): void {
    const before = this.list()
    this.#runtimes = this.#readAll(this.#catalogues)
    const kept = new Set(this.#runtimes.values())
    // Nothing else could end the runs of a removed runtime.
    const removed = before.filter((runtime) => !kept.has(runtime))
    const leaving = Promise.allSettled(removed.map((runtime) => runtime.dispose()))
    this.#leaving.add(leaving)
    void leaving.then(() => this.#leaving.delete(leaving))
  }

  #readAll(catalogues: readonly RuntimeCatalogue[]): ReadonlyMap<RuntimeId, LazyRuntime> {
    const runtimes = new Map<RuntimeId, LazyRuntime>()
    for (const definition of catalogues.flatMap((catalogue) => catalogue.list())) {
      const { id } = definition.descriptor
      if (runtimes.has(id)) throw new TypeError(`the runtime "${id}" is listed twice`)
      runtimes.set(id, this.#runtimeOf(definition))
    }
    return runtimes
  }

  /** A changed definition is a new runtime, even under the same id. */
  #runtimeOf(definition: RuntimeDefinition): LazyRuntime {
    const known = this.find(definition.descriptor.id)
    return known?.definition === definition ? known : new LazyRuntime(definition)
  }
}
