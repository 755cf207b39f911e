import type { Store } from '../store/open-store.ts'

/** Lists the possible assignees on a team's board; null when the team does not exist. */
export function membersOf(store: Store) {
  return async (teamId: string) => {
    if (!(await store.teams.get(teamId))) return null
    const members = await store.agents.namesInTeam(teamId)
    return members.map(({ id, displayName, participantKind }) => ({
      kind: participantKind === 'human' ? ('person' as const) : ('agent' as const),
      id,
      name: displayName,
    }))
  }
}
