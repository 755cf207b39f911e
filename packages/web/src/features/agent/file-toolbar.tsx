import { Link } from '@tanstack/react-router'
import type { FileContent } from '../../api/agent/agent-files.ts'
import { useFleet } from '../../api/fleet.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago } from '../../ui/words/time-words.ts'
import { authorWords } from './author-words.ts'
import type { FileEditing } from './use-file-editing.ts'

export function FileToolbar(props: {
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
