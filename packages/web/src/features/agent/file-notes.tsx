import type { FileContent } from '../../api/agent/agent-files.ts'
import { useFleet } from '../../api/fleet.ts'
import { Note, NoteButton } from '../../ui/note.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago } from '../../ui/words/time-words.ts'
import { otherAuthorWords } from './author-words.ts'
import type { FileEditing } from './use-file-editing.ts'

/** Notes for the writer: another save, a failed save, or a version set aside. */
export function FileNotes(props: {
  readonly saved: FileContent
  readonly editing: FileEditing
  readonly onCompare: () => void
}) {
  const { saved, editing } = props
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
