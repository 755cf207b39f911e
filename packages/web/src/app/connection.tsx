import { useConnection } from '../live/use-connection.ts'
import { classNames } from '../ui/class-names.ts'
import { Note } from '../ui/note.tsx'
import { clockWords } from '../ui/words/time-words.ts'

/** Shows the state of the event feed at the bottom of the rail. */
export function ConnectionLine() {
  const { word, offline } = useConnection()
  return (
    <div className="flex items-center justify-between text-sm text-muted">
      <span>Server</span>
      <span className={classNames('inline-flex items-center gap-1.5', offline ? 'text-needs' : 'text-text')}>
        <span
          aria-hidden="true"
          className={classNames('size-1.5 rounded-full', word === 'Live' ? 'bg-good' : 'bg-needs')}
        />
        {word}
      </span>
    </div>
  )
}

export function OfflineNote() {
  const { offline, word, since } = useConnection()
  if (!offline) return null
  return (
    <Note tone="needs">
      <span role="status">
        {`Server ${word}. Showing data from ${clockWords(since, Date.now())}. You can save again when it is back.`}
      </span>
    </Note>
  )
}
