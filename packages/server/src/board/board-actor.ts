import type { NamedPerson, Task, TaskSource, TransitionBy } from '@clawboo/core/board'
import type { Actor } from '../access/actor.ts'

/** The actor of a board change, derived from a credential and never from an argument. */
export type BoardActor =
  | { readonly kind: 'operator' }
  | { readonly kind: 'person'; readonly id: string; readonly name: string }
  | AgentActor
  /** The server itself, for its own observations and their consequences. */
  | { readonly kind: 'host' }

export interface AgentActor {
  readonly kind: 'agent'
  readonly id: string
  readonly teamId: string
  readonly runId: string
  /** The task of its run; null for a run that answers a message. */
  readonly taskId: string | null
}

export function transitionBy(by: BoardActor, task: Pick<Task, 'assignee'>): TransitionBy {
  if (by.kind === 'agent') return { kind: 'agent', isOwnTask: isOwn(by, task) }
  return { kind: by.kind === 'host' ? 'host' : 'person' }
}

export function isOwn(by: AgentActor, { assignee }: Pick<Task, 'assignee'>): boolean {
  return assignee?.kind === 'agent' && assignee.id === by.id
}

/** Returns null when the actor is not a person. */
export function namedPerson(by: BoardActor): NamedPerson | null {
  if (by.kind === 'operator') return { id: 'operator', name: 'Operator' }
  return by.kind === 'person' ? { id: by.id, name: by.name } : null
}

/** The source of a task. The host creates tasks on behalf of the operator. */
export function sourceOf(by: BoardActor, postId: string | null): TaskSource {
  if (by.kind === 'agent') return { kind: 'agent', id: by.id, runId: by.runId, postId }
  if (by.kind === 'person') return { kind: 'person', id: by.id, runId: null, postId }
  return { kind: 'operator', id: null, runId: null, postId }
}

export function auditActor(by: BoardActor): Actor {
  switch (by.kind) {
    case 'operator':
      return { name: 'operator' }
    case 'person':
      return { name: `person:${by.id}` }
    case 'agent':
      return { name: `agent:${by.id}`, runId: by.runId }
    case 'host':
      return { name: 'server' }
  }
}
