import type { Actor } from '../access/actor.ts'

/** The caller of a tool. Derived from a credential or from the run itself, never from an argument or an address. */
export type Caller = RunCaller | { readonly kind: 'operator' }

export interface RunCaller {
  readonly kind: 'run'
  readonly runId: string
  readonly agentId: string
  readonly teamId: string | null
  readonly roomId: string | null
  readonly taskId: string | null
  /** The grant of the caller; absent for a run in this process. */
  readonly grantId?: string
  /** The tools that the caller may use; it cannot see any other. */
  readonly tools: readonly string[]
}

export function mayCall(caller: Caller, tool: string): boolean {
  return caller.kind === 'operator' || caller.tools.includes(tool)
}

/** The author of the caller's writes in the audit log. */
export function actorOf(caller: Caller): Actor {
  return caller.kind === 'operator' ? { name: 'operator' } : { name: `agent:${caller.agentId}`, runId: caller.runId }
}
