import { type Team, useDeleteTeam } from '../../api/teams.ts'
import { Problem } from '../../shared/problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { counted } from '../../ui/words/time-words.ts'

export function DeleteTeamDialog(props: {
  readonly team: Team
  readonly members: number
  readonly onClose: () => void
  readonly onDeleted: () => void
}) {
  const { team, members, onClose, onDeleted } = props
  const remove = useDeleteTeam(team.id)
  return (
    <Dialog title={`Delete the team ${team.name}?`} onClose={onClose}>
      <p className="text-muted">
        {members === 0
          ? 'The team is empty. Its name and description are deleted.'
          : `Its name and description are deleted. Its ${counted(members, 'member stays', 'members stay')}, without a team, with all their files.`}
      </p>
      <Problem error={remove.error} action="delete it" className="mt-2" />
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button
          kind="danger-primary"
          disabled={remove.isPending}
          // Not `mutate`: an event may unmount this dialog before the response, and its callbacks would not run.
          onClick={() => remove.mutateAsync().then(onDeleted, () => undefined)}
        >
          {remove.isPending ? 'Deleting' : 'Delete the team'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
