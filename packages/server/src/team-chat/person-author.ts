import { ClawbooError } from '@clawboo/core'
import type { PostAuthor } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import { OPERATOR_AUTHOR } from '../store/repositories/rooms/posts-repository.ts'

/** A person that speaks: the operator, or a person of the team by name. */
export type SpeakingPerson = { readonly kind: 'operator' } | { readonly kind: 'person'; readonly id: string }

/**
 * As whom a person's words are kept. The operator's credential speaks for every person of the team, and for nobody else.
 * Throws `agent_not_found`.
 */
export async function personAuthor(
  { agents }: Pick<Repositories, 'agents'>,
  teamId: string,
  by: SpeakingPerson,
): Promise<PostAuthor> {
  if (by.kind === 'operator') return OPERATOR_AUTHOR
  const found = await agents.get(by.id)
  if (found?.participantKind !== 'human' || found.teamId !== teamId || found.archivedAt !== null)
    throw new ClawbooError('agent_not_found', `no person "${by.id}" is in this team`, { details: { agentId: by.id } })
  return { kind: 'person', id: by.id }
}
