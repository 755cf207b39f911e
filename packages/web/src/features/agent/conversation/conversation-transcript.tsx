import { Fragment, memo, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { Conversation, ConversationRun } from '../../../api/conversation.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { useRun } from '../../../api/runs.ts'
import type { AgentStreamState } from '../../../live/agent-stream.ts'
import { EMPTY_FOLD, foldRun, type RunFold } from '../../../live/fold-run.ts'
import { AgentAvatar } from '../../../shared/agent/agent-look.tsx'
import { roleOf, seedOf } from '../../../shared/agent/agent-words.ts'
import { RunActivity } from '../../../shared/run/run-activity.tsx'
import { RunView } from '../../../shared/run/run-view.tsx'
import { Divider } from '../../../shared/transcript/divider.tsx'
import { OlderLine, type OlderMessages } from '../../../shared/transcript/older-line.tsx'
import { TranscriptFrame } from '../../../shared/transcript/transcript-frame.tsx'
import { useStayAtEnd } from '../../../shared/transcript/use-stay-at-end.ts'
import { BooAvatar } from '../../../ui/boo/boo-avatar.tsx'
import { fileLink } from '../workspace/workspace-path.ts'
import { beginnings } from './conversation-parts.ts'
import { useOlderRuns } from './use-older-runs.ts'

export interface ConversationProps {
  readonly agent: Agent
  readonly newest: Conversation
  readonly runs: readonly ConversationRun[]
  readonly stream: AgentStreamState
  readonly older: OlderMessages & { readonly exist: boolean }
}

/** The runs of a conversation, oldest first. Scrolling up loads older ones. */
export function ConversationTranscript(
  props: ConversationProps & {
    /** Grows with each message sent from here; the transcript then scrolls to the newest. */
    readonly sent: number
    readonly onSuggest: (text: string) => void
  },
) {
  const { agent, runs, stream, older, sent } = props
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stays = useRef(true)
  const firstKey = runs[0]?.run.id
  const onNearTop = useCallback(() => {
    if (older.exist && !older.isLoading && !older.hasFailed) older.load()
  }, [older])
  const { isAtEnd, toEnd } = useStayAtEnd({ scroller, content, stays, growth: firstKey })
  useOlderRuns({ scroller, content, firstKey, stays, onNearTop })
  const { begunAnew } = props.newest
  const anew = useMemo(() => beginnings(runs, begunAnew), [runs, begunAnew])
  useLayoutEffect(() => {
    if (sent > 0) toEnd()
  }, [sent, toEnd])
  return (
    <TranscriptFrame
      label={`Conversation with ${agent.displayName}`}
      scroller={scroller}
      isAtEnd={isAtEnd}
      newest="Jump to newest"
      onNewest={toEnd}
    >
      <div ref={content} className="mx-auto flex min-h-full max-w-[820px] flex-col px-5 py-5">
        {older.exist ? (
          <p role="status" className="pb-4 text-center text-sm text-muted">
            <OlderLine {...older} offersMore />
          </p>
        ) : null}
        {runs.length === 0 ? <ConversationStart agent={agent} onSuggest={props.onSuggest} /> : null}
        {runs.map((detail) => (
          <Fragment key={detail.run.id}>
            {anew.with.has(detail.run.id) ? <NewConversation name={agent.displayName} /> : null}
            <div data-run={detail.run.id} className="run-part pb-6">
              <ConversationRunView agent={agent} detail={detail} live={stream.runs.get(detail.run.id)} />
            </div>
          </Fragment>
        ))}
        {anew.behindAll ? <NewConversation name={agent.displayName} /> : null}
      </div>
    </TranscriptFrame>
  )
}

function NewConversation({ name }: { name: string }) {
  return <Divider>{`New conversation. ${name} won't remember the messages above.`}</Divider>
}

/** One run of the conversation: from the live stream, or from the record. */
const ConversationRunView = memo(function ConversationRunView(props: {
  readonly agent: Agent
  readonly detail: ConversationRun
  /** The run's state from the stream, if this page followed the run. */
  readonly live: RunFold | undefined
}) {
  const { agent, detail, live } = props
  const fold = useRunFold(detail, live)
  const { run } = detail
  const linkToFile = useCallback((path: string) => fileLink(agent.id, path), [agent.id])
  const hasFolder = useRuntime(agent.runtime)?.hasWorkspace
  return (
    <RunView
      run={run}
      fold={fold}
      name={agent.displayName}
      face={<BooAvatar seed={seedOf(agent)} size={28} eyes={run.state === 'running' ? 'working' : 'idle'} />}
      fileLink={hasFolder ? linkToFile : undefined}
      activity={<RunActivity fold={fold} startedAt={run.startedAt} />}
    />
  )
})

/** The feed reports that a run has ended, but not its contents. A run that was not followed is fetched when it ends. */
function useRunFold({ run, entries, partial }: ConversationRun, live: RunFold | undefined): RunFold {
  const followed = live !== undefined && (live.end !== null || run.state === 'running')
  const unseen = partial && run.state === 'ended' && !followed
  const read = useRun(run.id, unseen).data
  const recorded = unseen && read?.run.state === 'ended' ? read.entries : entries
  const kept = useMemo(() => (followed || recorded.length === 0 ? EMPTY_FOLD : foldRun(recorded)), [followed, recorded])
  if (followed) return live
  return kept === EMPTY_FOLD && live ? live : kept
}

const FIRST_WORDS = [
  'What can you do here, and what do you need from me?',
  'Write a short plan for this week into plan.md.',
  'Look at the files in your workspace and summarize them.',
]

/** An empty conversation: suggestions for a first message. */
function ConversationStart({ agent, onSuggest }: { agent: Agent; onSuggest: (text: string) => void }) {
  const role = roleOf(agent)
  return (
    <div className="m-auto flex max-w-[440px] flex-col items-center gap-3 py-10 text-center">
      <AgentAvatar agent={agent} size={72} />
      <h2 className="text-lg font-[620]">{`Message ${agent.displayName}`}</h2>
      <p className="text-muted">
        {`${role ? `${role}. ` : ''}${agent.displayName} replies here and shows each step. It asks before it runs commands.`}
      </p>
      <ul className="flex flex-col gap-2">
        {FIRST_WORDS.map((words) => (
          <li key={words}>
            <button
              type="button"
              onClick={() => onSuggest(words)}
              className="w-full rounded-m border border-line px-3 py-2 text-left text-sm hover:border-line-strong hover:bg-bg"
            >
              {words}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
