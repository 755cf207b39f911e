import type { AgentFileName } from '@clawboo/core/registry'
import { type RevisionInfo, useFileHistory } from '../../api/agent/agent-files.ts'
import { useFleet } from '../../api/fleet.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { exactTime } from '../../ui/words/time-words.ts'
import { byteWords, editWords } from './file-words.ts'

/** Every revision, newest first. Choosing one compares it with the saved text. */
export function FileHistory(props: {
  readonly agentId: string
  readonly name: AgentFileName
  readonly newest: number
  readonly shown: number | undefined
  readonly onChoose: (revision: number | undefined) => void
}) {
  const history = useFileHistory(props.agentId, props.name)
  const revisions = history.data?.pages.flat() ?? []
  return (
    <aside
      aria-label={`History of ${props.name}`}
      className={classNames(
        'min-h-0 w-full shrink-0 overflow-y-auto border-line bg-bg p-2 wide:w-[240px] wide:border-l',
        props.shown !== undefined && 'hidden wide:block',
      )}
    >
      <h3 className="px-2.5 pt-1 pb-2 text-sm font-semibold text-muted">History</h3>
      <Loaded reading={history} name="the history" inLine="px-2.5 text-sm">
        {() =>
          revisions.length === 0 ? (
            <p className="px-2.5 text-sm text-muted">No revisions yet. Each save adds one.</p>
          ) : null
        }
      </Loaded>
      <ol className="flex flex-col gap-0.5">
        {revisions.map((revision) => (
          <li key={revision.revision}>
            <RevisionLine
              info={revision}
              current={revision.revision === props.newest}
              chosen={revision.revision === props.shown}
              onChoose={() => props.onChoose(revision.revision === props.shown ? undefined : revision.revision)}
            />
          </li>
        ))}
      </ol>
      {history.hasNextPage ? (
        <Button
          className="m-2"
          onClick={() => (history.isFetchingNextPage ? undefined : void history.fetchNextPage())}
          aria-disabled={history.isFetchingNextPage}
        >
          Older revisions
        </Button>
      ) : null}
    </aside>
  )
}

function RevisionLine(props: { info: RevisionInfo; current: boolean; chosen: boolean; onChoose: () => void }) {
  const { info } = props
  const now = useNow()
  const agents = useFleet().data?.agents ?? []
  return (
    <button
      type="button"
      aria-pressed={props.chosen}
      onClick={props.onChoose}
      title={exactTime(info.createdAt)}
      className={classNames(
        'w-full rounded-s px-2.5 py-1.5 text-left hover:bg-sunken',
        props.chosen && 'bg-surface shadow-[inset_0_0_0_1px_var(--line)]',
      )}
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="text-sm font-[550] tabular-nums">
          {`Revision ${info.revision}`}
          {props.current ? <span className="font-normal text-muted"> · now</span> : null}
        </span>
        <span className="text-xs text-muted tabular-nums">{byteWords(info.bytes)}</span>
      </span>
      <span className="block truncate text-xs text-muted">{editWords(info.author, info.createdAt, agents, now)}</span>
    </button>
  )
}
