import { AsyncLocalStorage } from 'node:async_hooks'

/** Who is behind a write: `operator`, `workspace`, `source:<id>`. Set from a credential, never from an argument. */
export interface Actor {
  readonly name: string
  readonly runId?: string
}

const current = new AsyncLocalStorage<Actor>()

/** Everything `work` writes is audited as done by `actor`. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return current.run(actor, work)
}

export function currentActor(): Actor | undefined {
  return current.getStore()
}
