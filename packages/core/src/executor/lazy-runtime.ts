import { ClawbooError } from '../clawboo-error.ts'
import type { RuntimeId } from '../registry/index.ts'
import { type Capabilities, type Capability, missingCapabilities } from './capabilities.ts'
import type { RuntimeAdapter } from './runtime-adapter.ts'
import type { RuntimeDefinition } from './runtime-definition.ts'
import type { RuntimeDescriptor } from './runtime-descriptor.ts'

/** A hanging load must not delay the shutdown of the server or the deletion of an agent. */
const LOAD_WAIT_MS = 5000

/** The host's handle on one runtime. It loads the runtime at its first use, once for all callers. */
export class LazyRuntime {
  readonly definition: RuntimeDefinition
  readonly plan: RuntimeIntegrationPlan
  #loading: Promise<RuntimeAdapter> | null = null
  #loaded: RuntimeAdapter | null = null
  #isDisposed = false
  #missingClaims: readonly Capability[] = []

  constructor(definition: RuntimeDefinition) {
    this.definition = definition
    this.plan = resolveRuntimeIntegration(definition.descriptor.claims)
  }

  get id(): RuntimeId {
    return this.definition.descriptor.id
  }

  get descriptor(): RuntimeDescriptor {
    return this.definition.descriptor
  }

  /** null until the runtime is loaded. */
  get loaded(): RuntimeAdapter | null {
    return this.#loaded
  }

  /** Retries after a failed load. Throws `server_stopping` once the runtime is disposed. */
  load(): Promise<RuntimeAdapter> {
    if (this.#isDisposed)
      return Promise.reject(new ClawbooError('server_stopping', `the runtime "${this.id}" has been stopped`))
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<RuntimeAdapter> {
    try {
      // Otherwise a `load` that throws at once would clear `#loading` before it is set.
      await null
      this.#loaded = await this.definition.load()
      return this.#loaded
    } catch (error) {
      this.#loading = null
      throw error
    }
  }

  /** The claims that were not agreed at the last run. */
  get missingClaims(): readonly Capability[] {
    return this.#missingClaims
  }

  /** Compares what was agreed for a run with the claims. */
  noteAgreed(agreed: Capabilities): void {
    this.#missingClaims = missingCapabilities(this.descriptor.claims, agreed)
  }

  /** Frees the runtime's state of a deleted agent. Does not load the runtime. */
  async forget(agentId: string): Promise<void> {
    const adapter = await this.#ifLoading()
    await adapter?.forget?.(agentId)
  }

  /** Does not load the runtime. A load that takes too long is disposed of when it is done. */
  async dispose(): Promise<void> {
    this.#isDisposed = true
    const loading = this.#loading
    const adapter = await this.#ifLoading()
    if (adapter) await adapter.dispose?.()
    // No caller waits any more, so there is none to report an error to.
    else void loading?.then((late) => late.dispose?.()).catch(() => {})
  }

  /**
   * Waits a moment for an active load. A failed load leaves nothing to forget or to dispose of, so its error is ignored
   * here.
   */
  async #ifLoading(): Promise<RuntimeAdapter | null> {
    if (this.#loading === null) return null
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), LOAD_WAIT_MS)
    })
    return Promise.race([this.#loading.catch(() => null), late]).finally(() => clearTimeout(timer))
  }
}

/** How the host works with a runtime. */
export interface RuntimeIntegrationPlan {
  /**
   * connected: the runtime's own, outside the host. persistent: one folder per agent. ephemeral: one folder per run.
   */
  readonly home: 'connected' | 'persistent' | 'ephemeral'
  /** Skills that an agent acquires in the runtime remain for its next run. */
  readonly keepsSkills: boolean
  /** The runtime's own memory of an agent remains for its next run. */
  readonly keepsMemory: boolean
  /** own-channels: the runtime also delivers messages over its own channels, such as a chat app. */
  readonly delivery: 'own-channels' | 'host'
  /** False: the dispatcher starts no task on this runtime and refuses before it claims one. */
  readonly dispatchable: boolean
}

/** Accepts any value: a missing or unknown claim gives the most conservative plan, one process per run. */
export function resolveRuntimeIntegration(
  capabilities: Partial<Capabilities> | null | undefined,
): RuntimeIntegrationPlan {
  const home = homeOf(capabilities)
  const keeps = home !== 'ephemeral'
  return {
    home,
    keepsSkills: keeps && capabilities?.nativeSkills === true,
    keepsMemory: keeps && capabilities?.nativeMemory === true,
    delivery: home === 'connected' && capabilities?.nativeChannels === true ? 'own-channels' : 'host',
    dispatchable: home !== 'connected',
  }
}

function homeOf(capabilities: Partial<Capabilities> | null | undefined): RuntimeIntegrationPlan['home'] {
  if (capabilities?.runtimeClass === 'connected-substrate') return 'connected'
  if (capabilities?.runtimeClass === 'native') return 'persistent'
  return capabilities?.nativeHome === true ? 'persistent' : 'ephemeral'
}
