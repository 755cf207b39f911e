import type { Store } from '../store/open-store.ts'

/** Who can be asked on a team's board; null when there is no such team. */
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
