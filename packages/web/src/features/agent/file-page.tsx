import { type AgentFileName, isAgentFileName } from '@clawboo/core/registry'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FileContent, useAgentFile } from '../../api/agent/agent-files.ts'
import { useFleet } from '../../api/fleet.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Note, NoteButton } from '../../ui/note.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { EmptyState } from '../../ui/page-states.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago } from '../../ui/words/time-words.ts'
import { ConflictView } from './conflict-view.tsx'
import { TextEditor } from './editor/text-editor.tsx'
import { FileHistory } from './file-history.tsx'
import { authorWords, otherAuthorWords } from './file-words.ts'
import { RevisionDiff } from './revision-diff.tsx'
import { type FileEditing, useFileEditing } from './use-file-editing.ts'

const route = getRouteApi('/shell/agents/$agentId/files/$fileName')

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
  return (
    <Loaded reading={useAgentFile(agentId, name)} name={name} rows={1}>
      {(saved) => <FileFrame agentId={agentId} saved={saved} />}
    </Loaded>
  )
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
      <FileNotes saved={saved} editing={editing} />
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
      <LeaveGuard isDirty={() => editing.dirty} draft={{ name: saved.name, discard: editing.discard }} />
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

/** Shows that the file was saved elsewhere, that a save failed, or that a version is set aside. */
function FileNotes({ saved, editing }: { saved: FileContent; editing: FileEditing }) {
  const now = useNow()
  const agents = useFleet().data?.agents ?? []
  return (
    <>
      {editing.overtaken && !editing.conflict ? (
        <Note tone="needs" live>
          <span>
            {`Changed by ${otherAuthorWords(saved.author, agents)} ${saved.createdAt === null ? 'meanwhile' : ago(saved.createdAt, now)}. Your text is unchanged. When you save, you see both versions.`}
          </span>
        </Note>
      ) : null}
      {editing.problem ? (
        <Note tone="bad" live>
          {editing.problem}
        </Note>
      ) : null}
      {editing.aside !== null ? (
        <Note tone="accent">
          <span>Your version is set aside.</span>
          <NoteButton onClick={editing.bringBack}>Restore it</NoteButton>
        </Note>
      ) : null}
    </>
  )
}

function FileToolbar(props: {
  readonly agentId: string
  readonly saved: FileContent
  readonly editing: FileEditing
  readonly historyOpen: boolean
  readonly onHistory: (open: boolean) => void
}) {
  const { agentId, saved, editing, historyOpen } = props
  const idle = !editing.dirty || editing.saving || editing.conflict !== null
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
      <Link
        to="/agents/$agentId/files"
        params={{ agentId }}
        aria-label="All files"
        className="-ml-2 grid size-8 place-items-center rounded-s text-muted hover:bg-sunken wide:hidden"
      >
        <Icon name="back" />
      </Link>
      <h2 data-file-name tabIndex={-1} className="rounded-s font-mono text-sm font-semibold">
        {saved.name}
      </h2>
      <SavedWords saved={saved} editing={editing} />
      <span className="ml-auto flex items-center gap-2">
        <Button icon="history" aria-pressed={historyOpen} onClick={() => props.onHistory(!historyOpen)}>
          History
        </Button>
        {editing.dirty ? (
          <Button kind="quiet" onClick={editing.discard}>
            Discard
          </Button>
        ) : null}
        <Button
          kind="primary"
          onClick={() => (idle ? undefined : editing.save())}
          // Not `disabled`: focus stays here after the save.
          aria-disabled={idle}
        >
          {editing.saving ? 'Saving' : 'Save'}
        </Button>
      </span>
    </div>
  )
}

function SavedWords({ saved, editing }: { saved: FileContent; editing: FileEditing }) {
  const now = useNow()
  const agents = useFleet().data?.agents ?? []
  if (editing.dirty) return <span className="text-sm text-needs">Unsaved changes</span>
  if (saved.createdAt === null || saved.revision === 0) return <span className="text-sm text-muted">Never saved</span>
  return (
    <span className="min-w-0 truncate text-sm text-muted">
      {`Revision ${saved.revision} by ${authorWords(saved.author, agents)}, ${ago(saved.createdAt, now)}`}
    </span>
  )
}
