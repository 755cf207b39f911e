import { type AgentFileName, isAgentFileName } from '@clawboo/core/registry'
import { getRouteApi, Link, useBlocker } from '@tanstack/react-router'
import { type FileContent, useAgentFile } from '../../api/agent/agent-files.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { usePageActions } from '../../ui/page-actions.ts'
import { EmptyState, ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { ConflictView } from './conflict-view.tsx'
import { TextEditor } from './editor/text-editor.tsx'
import { FileHistory } from './file-history.tsx'
import { FileNotes } from './file-notes.tsx'
import { FileToolbar } from './file-toolbar.tsx'
import { RevisionDiff } from './revision-diff.tsx'
import { type FileEditing, useFileEditing } from './use-file-editing.ts'

const route = getRouteApi('/shell/agents/$agentId/files/$fileName')

/** One file: its text, its history, and the view for a conflict. */
export function FilePage() {
  const { agentId, fileName } = route.useParams()
  if (!isAgentFileName(fileName)) {
    return (
      <EmptyState title="File not found">
        <p>A Boo has only the files in the list.</p>
        <Link to="/agents/$agentId/files" params={{ agentId }} className={buttonClass()}>
          All files
        </Link>
      </EmptyState>
    )
  }
  return <NamedFile key={`${agentId} ${fileName}`} agentId={agentId} name={fileName} />
}

function NamedFile({ agentId, name }: { agentId: string; name: AgentFileName }) {
  const file = useAgentFile(agentId, name)
  if (file.data) return <FileFrame agentId={agentId} saved={file.data} />
  if (file.error) return <ErrorState {...readProblem(file.error, name)} onRetry={() => void file.refetch()} />
  return <LoadingState what={name} rows={1} />
}

function FileFrame({ agentId, saved }: { agentId: string; saved: FileContent }) {
  const { history, revision } = route.useSearch()
  const navigate = route.useNavigate()
  const editing = useFileEditing(agentId, saved.name, saved)
  const show = (search: { history?: boolean; revision?: number }) => void navigate({ search })
  usePageActions([
    { id: 'save-file', title: `Save ${saved.name}`, icon: 'check', keys: 'Ctrl S', run: editing.save },
    {
      id: 'file-history',
      title: history ? 'Close the history' : 'Show the history',
      place: saved.name,
      icon: 'history',
      run: () => show(history ? {} : { history: true }),
    },
    ...(editing.dirty
      ? [
          {
            id: 'discard',
            title: 'Discard my changes',
            place: saved.name,
            icon: 'trash' as const,
            run: editing.discard,
          },
        ]
      : []),
  ])
  // When a note, a version or the history disappears, focus moves to the file's name.
  const box = usePassesFocus<HTMLDivElement>(() => box.current?.querySelector<HTMLElement>('[data-file-name]')?.focus())
  return (
    <div ref={box} className="contents">
      <FileToolbar
        agentId={agentId}
        saved={saved}
        editing={editing}
        historyOpen={history ?? false}
        onHistory={(open) => show(open ? { history: true } : {})}
      />
      <FileNotes saved={saved} editing={editing} onCompare={() => show({ history: true, revision: saved.revision })} />
      <div className="flex min-h-0 flex-1">
        <div className={classNames('min-h-0 min-w-0 flex-1', history && !revision && 'hidden wide:block')}>
          <FileBody agentId={agentId} saved={saved} editing={editing} revision={revision} onShow={show} />
        </div>
        {history ? (
          <FileHistory
            agentId={agentId}
            name={saved.name}
            newest={saved.revision}
            shown={revision}
            onChoose={(chosen) => show({ history: true, ...(chosen === undefined ? {} : { revision: chosen }) })}
          />
        ) : null}
      </div>
      <LeaveGuard editing={editing} name={saved.name} />
    </div>
  )
}

function FileBody(props: {
  readonly agentId: string
  readonly saved: FileContent
  readonly editing: FileEditing
  readonly revision: number | undefined
  readonly onShow: (search: { history?: boolean; revision?: number }) => void
}) {
  const { agentId, saved, editing, revision, onShow } = props
  if (editing.conflict) return <ConflictView name={saved.name} editing={editing} newest={editing.conflict} />
  if (revision !== undefined) {
    return (
      <RevisionDiff
        agentId={agentId}
        saved={saved}
        revision={revision}
        editing={editing}
        onClose={() => onShow({ history: true })}
      />
    )
  }
  return <TextEditor label={saved.name} text={editing.text} onChange={editing.type} onSave={editing.save} />
}

/** Asks before leaving unsaved text. Opening the history of the same file does not count as leaving. */
function LeaveGuard({ editing, name }: { editing: FileEditing; name: string }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => editing.dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => editing.dirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p className="text-muted">{`Your changes to ${name} are not saved.`}</p>
      <DialogActions>
        <Button
          kind="danger"
          onClick={() => {
            editing.discard()
            blocker.proceed()
          }}
        >
          Discard my changes
        </Button>
        <Button onClick={blocker.proceed}>Leave and keep the draft</Button>
        <Button kind="primary" onClick={blocker.reset}>
          Stay
        </Button>
      </DialogActions>
    </Dialog>
  )
}
