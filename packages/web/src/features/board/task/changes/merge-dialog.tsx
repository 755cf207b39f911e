import { ApiError } from '@clawboo/api/client'
import { useMerge } from '../../../../api/tasks.ts'
import { useTeamProject } from '../../../../api/team-project.ts'
import { problemWords } from '../../../../shared/problem-words.ts'
import { announce } from '../../../../ui/announcement.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../../ui/dialog.tsx'
import { ProblemLine } from '../../../../ui/problem-line.tsx'
import { counted } from '../../../../ui/words/time-words.ts'
import { mergeWords } from '../../task-words.ts'
import type { ReviewProps } from './review-props.ts'

export function MergeDialog(props: ReviewProps & { readonly onClose: () => void; readonly onMerged: () => void }) {
  const { task } = props.detail
  const merge = useMerge(task.id)
  const project = useTeamProject(task.teamId).data
  const take = () =>
    merge.mutate(undefined, {
      onSuccess: ({ how, files }) => {
        announce(mergeWords(how, files.length))
        props.onMerged()
        props.onClose()
      },
    })
  return (
    <Dialog title={`Merge ${counted(props.fileCount, 'file')} into the project?`} onClose={props.onClose}>
      <p className="text-muted">
        {`This changes ${project?.folder ?? 'the project folder'}. The task stays in its column. Approve it when you are done.`}
      </p>
      {merge.error ? <MergeRefusal error={merge.error} /> : null}
      <DialogActions>
        <Button onClick={props.onClose}>Not now</Button>
        <Button kind="primary" disabled={merge.isPending} onClick={take}>
          {merge.isPending ? 'Merging' : 'Merge'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function MergeRefusal({ error }: { error: Error }) {
  const files = error instanceof ApiError && Array.isArray(error.details.files) ? error.details.files : []
  return (
    <div className="mt-3">
      <ProblemLine>{problemWords(error, 'merge')}</ProblemLine>
      {files.length > 0 ? (
        <ul className="mt-1 max-h-[160px] overflow-y-auto font-mono text-sm text-muted">
          {files.map((file) => (
            <li key={String(file)}>{String(file)}</li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
