import type { RuntimeAdapter } from '@clawboo/core/executor'

/** What a runtime offers its agents, for whoever shows them. */
export interface RuntimeFacts {
  /** Its agents call models that it knows itself, not those of the host. */
  readonly ownModels: boolean
  /** What goes into an agent's next turn can be looked at. */
  readonly inspectable: boolean
  /** The folder an agent works in can be looked into. */
  readonly hasWorkspace: boolean
  /** Its agents live with it: it runs no others, and nothing else runs them. */
  readonly keepsItsOwn: boolean
}

export function runtimeFacts(adapter: RuntimeAdapter | null): RuntimeFacts {
  return {
    ownModels: adapter?.listModels !== undefined,
    inspectable: adapter?.inspect !== undefined,
    hasWorkspace: adapter?.workspace !== undefined,
    keepsItsOwn: adapter?.capabilities().runtimeClass === 'connected-substrate',
  }
}
