import type { BoardTask, TaskAssignee, TaskSource } from '@clawboo/core/board'
import type { AttentionItem } from '@clawboo/core/executor'
import type { BoardActor } from '../../board/board-change.ts'
import type { Repositories } from '../../store/open-store.ts'
import { type AttentionWording, storedWording } from '../../store/repositories/runs/attention-repository.ts'
import { PERSON_ANSWERS } from './person-requests.ts'

/** A person who has to act on a task now, and the wording of the item. */
export interface AskedTask {
  readonly assignee: TaskAssignee
  /** null for the operator, who is not in the fleet. */
  readonly agentId: string | null
  readonly name: string
  readonly runtime: string | null
  /** The actor on the board when the person answers. */
  readonly actor: BoardActor
  readonly wording: AttentionWording
}

const OPERATOR_ID = 'operator'

/** Returns null when no person has to act: the task is not assigned to a person, not ready, or already finished. */
export async function askedFor(tx: Pick<Repositories, 'agents'>, task: BoardTask): Promise<AskedTask | null> {
  const { assignee, status, openBlockers } = task
  if (assignee?.kind !== 'person') return null
  if (status !== 'in_progress' && !(status === 'todo' && openBlockers === 0)) return null
  const person = await findPerson(tx, assignee.id)
  if (!person) return null
  const answers = status === 'todo' ? PERSON_ANSWERS : PERSON_ANSWERS.filter((answer) => answer !== 'accept')
  const names = { teamId: task.teamId, askedBy: await askerOf(tx, task.source), askedOf: person.name }
  return { assignee, ...person, wording: { title: task.title, detail: task.body, answers, task: names } }
}

/** Returns whether the item already has this wording. */
export function hasSameWording(item: AttentionItem, wording: AttentionWording): boolean {
  const wordsOf = ({ title, detail, answers, task }: Pick<AttentionItem, 'title' | 'detail' | 'answers' | 'task'>) =>
    JSON.stringify([title, detail, answers, task?.teamId, task?.askedBy, task?.askedOf])
  return wordsOf(item) === wordsOf(storedWording(wording))
}

async function findPerson(tx: Pick<Repositories, 'agents'>, id: string) {
  if (id === OPERATOR_ID)
    return { agentId: null, name: 'Operator', runtime: null, actor: { kind: 'operator' } as BoardActor }
  const person = await tx.agents.get(id)
  if (!person || person.archivedAt !== null || person.participantKind !== 'human') return null
  const { displayName: name, runtime } = person
  return { agentId: id, name, runtime, actor: { kind: 'person', id, name } as BoardActor }
}

async function askerOf(tx: Pick<Repositories, 'agents'>, { kind, id }: TaskSource): Promise<string> {
  if (kind === 'operator' || id === null) return 'Operator'
  return (await tx.agents.get(id))?.displayName ?? 'someone who was deleted'
}
