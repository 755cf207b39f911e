import { type FileContent, newestTextOf, useFileRevision, useWriteFile } from '../../api/agent/agent-files.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { Comparison } from './editor/comparison.tsx'
import type { FileEditing } from './use-file-editing.ts'

export function RevisionDiff(props: {
  readonly agentId: string
  readonly saved: FileContent
  readonly revision: number
  readonly editing: FileEditing
  readonly onClose: () => void
}) {
  const { agentId, saved, revision, editing, onClose } = props
  const old = useFileRevision(agentId, saved.name, revision)
  const same = old.data?.content === saved.content
  const { restore, restoring, problem } = useRestore(agentId, saved, old.data, onClose)
  const mayRestore = old.data !== undefined && !same && !editing.dirty && !restoring
  usePageActions(
    mayRestore
      ? [{ id: 'restore', title: `Restore revision ${revision}`, place: saved.name, icon: 'history', run: restore }]
      : [],
  )
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line bg-bg px-4 py-1.5 text-sm">
        <p className="min-w-0 flex-1">{diffWords(revision, saved.revision, same && revision !== saved.revision)}</p>
        <Button onClick={restore} disabled={!mayRestore}>
          {restoring ? 'Restoring' : 'Restore'}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Back to the text
        </Button>
        {editing.dirty ? <p className="w-full text-needs">Save or discard your changes before you restore.</p> : null}
        <ProblemLine className="w-full">{problem}</ProblemLine>
      </div>
      <div className="min-h-0 flex-1">
        <Loaded reading={old} name={`revision ${revision}`} inLine="p-5">
          {({ content }) => (
            <Comparison
              before={{ label: `${saved.name}, revision ${revision}`, text: content }}
              after={{ label: `${saved.name}, saved now`, text: saved.content }}
            />
          )}
        </Loaded>
      </div>
    </div>
  )
}

/** Writes an old text as a new revision, so that no revision in between is lost. */
function useRestore(agentId: string, saved: FileContent, old: FileContent | undefined, onRestored: () => void) {
  const write = useWriteFile(agentId, saved.name)
  const restore = () => {
    if (!old) return
    write.mutate(
      { content: old.content, baseRevision: saved.revision },
      {
        onSuccess: (written) => {
          announce(`Revision ${old.revision} is back, as revision ${written.revision}`)
          onRestored()
        },
      },
    )
  }
  return { restore, restoring: write.isPending, problem: write.error ? restoreProblem(write.error) : null }
}

function restoreProblem(error: Error): string {
  return newestTextOf(error)
    ? "Couldn't restore it. Someone saved a moment ago. Check the newest revision and try again."
    : problemWords(error, 'restore it')
}

function diffWords(revision: number, newest: number, same: boolean): string {
  if (revision === newest) return `Revision ${revision} is the current version.`
  const words = `Revision ${revision} against the current version (revision ${newest}).`
  return same ? `${words} The texts are the same.` : words
}
