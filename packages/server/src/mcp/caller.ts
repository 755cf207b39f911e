import type { Actor } from '../access/actor.ts'

/** Who calls a tool. It comes from a credential or from the run itself; no argument and no address has a say in it. */
export type Caller = RunCaller | { readonly kind: 'operator' }

export interface RunCaller {
  readonly kind: 'run'
  readonly runId: string
  readonly agentId: string
  readonly teamId: string | null
  readonly roomId: string | null
  readonly taskId: string | null
  /** The grant it came with; absent for a run within this process. */
  readonly grantId?: string
  /** The names of the tools it may call; all others do not exist for it. */
  readonly tools: readonly string[]
}

export function mayCall(caller: Caller, tool: string): boolean {
  return caller.kind === 'operator' || caller.tools.includes(tool)
}

/** As whom its writes are audited. */
export function actorOf(caller: Caller): Actor {
  return caller.kind === 'operator' ? { name: 'operator' } : { name: `agent:${caller.agentId}`, runId: caller.runId }
}
