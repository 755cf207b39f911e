import { ApiError } from '@clawboo/api/client'
import { useState } from 'react'
import { useCheck, useCleanUp, useMerge, useReadDiffAgain, useSignOff } from '../../../../api/tasks.ts'
import { useTeamProject } from '../../../../api/teams.ts'
import { ConfirmDialog } from '../../../../shared/confirm-dialog.tsx'
import { announceResult, Problem } from '../../../../shared/problem.tsx'
import { announce } from '../../../../ui/announcement.tsx'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { copyText } from '../../../../ui/copy-text.ts'
import { focusFirstIn, usePassesFocus, whenLost } from '../../../../ui/keyboard/focus-place.ts'
import { CodeBlock } from '../../../../ui/markdown/code-block.tsx'
import { Menu } from '../../../../ui/menu.tsx'
import { readStored } from '../../../../ui/state/stored-text.ts'
import { counted } from '../../../../ui/words/time-words.ts'
import { judgeDrop } from '../../drop-place.ts'
import { checkWords, mergeWords } from '../../task-words.ts'
import { AskForChanges, askKey, type ReviewProps } from './ask-for-changes.tsx'

export function ReviewBar(props: ReviewProps) {
  const { task } = props.detail
  const [open, setOpen] = useState<'ask' | 'merge' | null>(() => (readStored(askKey(task.id)) === null ? null : 'ask'))
  const bar = usePassesFocus<HTMLDivElement>(() =>
    whenLost(() => {
      const ask = bar.current?.querySelector<HTMLElement>('[data-ask]')
      if (ask) ask.focus()
      else focusFirstIn(bar.current)
    }),
  )
  const project = useTeamProject(task.teamId).data
  const check = useCheck(task.id)
  const signOff = useSignOff(task.id)
  const readAgain = useReadDiffAgain(task.id)
  const isBusy = check.isPending || signOff.isPending
  const mayAsk = task.status === 'in_review' || task.status === 'blocked'
  const close = () => setOpen(null)
  const sign = () => signOff.mutate(undefined, { onSuccess: () => announce(`“${task.title}” approved and done.`) })
  return (
    <div ref={bar} className="flex shrink-0 flex-col gap-2 border-b border-line px-5 py-3">
      <div className="flex flex-wrap items-center gap-2">
        {task.status !== 'done' && judgeDrop(task, 'done').ok ? (
          <Button kind="primary" icon="check" disabled={isBusy} onClick={sign}>
            Approve
          </Button>
        ) : null}
        {mayAsk ? (
          <Button icon="chat" data-ask aria-expanded={open === 'ask'} onClick={() => setOpen('ask')}>
            Request changes
          </Button>
        ) : null}
        {props.fileCount > 0 ? (
          <Button icon="download" onClick={() => setOpen('merge')}>
            Merge
          </Button>
        ) : null}
        {project?.checkCommand ? (
          <Button icon="play" disabled={isBusy} onClick={() => check.mutate(undefined, { onSuccess: readAgain })}>
            {check.isPending ? 'Checking' : 'Run the check'}
          </Button>
        ) : null}
        <WorktreeMenu {...props} onLookAgain={readAgain} />
      </div>
      {check.isPending ? (
        <p
          role="status"
          className="text-sm text-muted"
        >{`Running ${project?.checkCommand ?? 'the check'}; this may take a while.`}</p>
      ) : null}
      <Problem error={check.error} action="run the check" />
      <Problem error={signOff.error} action="approve" />
      {check.data ? <CheckOutcome check={check.data} /> : null}
      {open === 'ask' && mayAsk ? <AskForChanges {...props} onClose={close} /> : null}
      {open === 'merge' ? <MergeDialog {...props} onClose={close} onMerged={readAgain} /> : null}
    </div>
  )
}

function WorktreeMenu({ detail, branch, onLookAgain }: ReviewProps & { readonly onLookAgain: () => void }) {
  const cleanUp = useCleanUp(detail.task.id)
  const clean = () =>
    announceResult(cleanUp.mutateAsync().finally(onLookAgain), ({ worktrees }) => cleanUpWords(worktrees), 'clean up')
  const copy = (text: string) =>
    void copyText(text).then(
      () => announce('Branch name copied'),
      () => announce('The browser does not allow copying here', 'bad'),
    )
  return (
    <Menu
      label="More about the worktree"
      trigger={<IconButton icon="more" label="More about the worktree" />}
      items={[
        { label: 'Refresh', icon: 'history', hint: 'Loads the files again', run: onLookAgain },
        ...(branch === null
          ? []
          : [{ label: 'Copy the branch name', icon: 'copy' as const, hint: branch, run: () => copy(branch) }]),
        {
          label: 'Clean up',
          icon: 'trash',
          hint: 'Removes worktrees without unmerged changes',
          run: clean,
        },
      ]}
    />
  )
}

function CheckOutcome({ check }: { check: NonNullable<ReturnType<typeof useCheck>['data']> }) {
  const isGood = check.exitCode === 0
  return (
    <details open={!isGood} className="text-sm">
      <summary className={isGood ? 'w-fit rounded-s text-good' : 'w-fit rounded-s text-bad'}>
        {`The check ${check.command} ${checkWords(check.exitCode)}`}
      </summary>
      <CodeBlock
        label={check.omittedBytes > 0 ? 'Start and end of the output' : 'Output'}
        code={check.output || 'No output.'}
      />
    </details>
  )
}

function cleanUpWords(
  worktrees: readonly {
    readonly outcome: 'removed' | 'nothing' | 'parked' | 'refused'
    readonly because: string | null
  }[],
): string {
  const removed = worktrees.filter(({ outcome }) => outcome === 'removed').length
  const kept = worktrees.filter(({ outcome }) => outcome === 'parked' || outcome === 'refused')
  const gone = removed === 0 ? 'Nothing was removed' : `${counted(removed, 'worktree')} removed`
  const why = kept[0]?.because ? `: ${kept[0].because}` : ''
  return kept.length === 0 ? `${gone}.` : `${gone}; ${counted(kept.length, 'stays', 'stay')}${why}`
}

function MergeDialog(props: ReviewProps & { readonly onClose: () => void; readonly onMerged: () => void }) {
  const { task } = props.detail
  const merge = useMerge(task.id)
  const project = useTeamProject(task.teamId).data
  return (
    <ConfirmDialog
      title={`Merge ${counted(props.fileCount, 'file')} into the project?`}
      change={merge}
      action="merge"
      confirm={['Merge', 'Merging']}
      keep="Not now"
      kind="primary"
      onClose={props.onClose}
      onDone={({ how, files }) => {
        announce(mergeWords(how, files.length))
        props.onMerged()
        props.onClose()
      }}
    >
      <p>
        {`This changes ${project?.folder ?? 'the project folder'}. The task stays in its column. Approve it when you are done.`}
      </p>
      {merge.error ? <MergeConflicts error={merge.error} /> : null}
    </ConfirmDialog>
  )
}

/** The files that a refused merge names. */
function MergeConflicts({ error }: { error: Error }) {
  const files = error instanceof ApiError && Array.isArray(error.details.files) ? error.details.files : []
  if (files.length === 0) return null
  return (
    <ul className="max-h-[160px] overflow-y-auto font-mono text-sm">
      {files.map((file) => (
        <li key={String(file)}>{String(file)}</li>
      ))}
    </ul>
  )
}
