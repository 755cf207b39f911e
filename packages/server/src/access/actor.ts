import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The author of a write: `operator`, `workspace` or `source:<id>`. Derived from a credential, never from an argument.
 */
export interface Actor {
  readonly name: string
  readonly runId?: string
}

const current = new AsyncLocalStorage<Actor>()

/** Audits everything that `work` writes under `actor`. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return current.run(actor, work)
}

export function currentActor(): Actor | undefined {
  return current.getStore()
}
