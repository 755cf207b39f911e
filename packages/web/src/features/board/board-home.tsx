import { Link, Navigate } from '@tanstack/react-router'
import { useTeams } from '../../api/teams.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { readStored } from '../../ui/state/stored-text.ts'
import { LAST_BOARD } from './board-search.ts'

/** Opens the last viewed board, or else the first team's. */
export function BoardHome() {
  const teams = useTeams()
  const last = readStored(LAST_BOARD)
  const named = [...(teams.data ?? [])].sort((one, other) => one.name.localeCompare(other.name))
  const team = named.find(({ id }) => id === last) ?? named[0]
  if (team) return <Navigate to="/board/$teamId" params={{ teamId: team.id }} replace />
  return (
    <>
      <PageHeader title="Board" />
      <Loaded reading={teams} name="the board">
        {() => (
          <EmptyState title="No teams yet" seed="board">
            <p>Each team has a board. Create a team first.</p>
            <Link to="/teams/new" className={buttonClass('primary')}>
              New team
            </Link>
          </EmptyState>
        )}
      </Loaded>
    </>
  )
}
