import { memo, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { Conversation, ConversationRun } from '../../../api/conversation.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { useRun } from '../../../api/runs.ts'
import type { AgentStreamState } from '../../../live/agent-stream.ts'
import { EMPTY_FOLD, foldRun, type RunFold } from '../../../live/fold-run.ts'
import { AgentAvatar } from '../../../shared/agent/agent-look.tsx'
import { roleOf, seedOf } from '../../../shared/agent/agent-words.ts'
import { RunActivity } from '../../../shared/run/run-activity.tsx'
import { RunView } from '../../../shared/run/run-view.tsx'
import { Divider, TopLine, Transcript } from '../../../shared/transcript/transcript.tsx'
import {
  type MoreEntries,
  type TranscriptEntry,
  useLoadMore,
  useTranscript,
} from '../../../shared/transcript/use-transcript.ts'
import { BooAvatar } from '../../../ui/boo/boo-avatar.tsx'
import { fileLink } from '../workspace/workspace-path.ts'
import { beginnings } from './conversation-parts.ts'

export interface ConversationProps {
  readonly agent: Agent
  readonly newest: Conversation
  readonly runs: readonly ConversationRun[]
  readonly stream: AgentStreamState
  readonly older: MoreEntries
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
  const stays = useRef(true)
  const { begunAnew } = props.newest
  const entries = useMemo(() => runEntries(runs, beginnings(runs, begunAnew)), [runs, begunAnew])
  const view = useTranscript({ entries, estimatePx: () => RUN_PX, stays, mayStay: true, hasTopLine: true })
  useLoadMore(view, true, older)
  const { toEnd } = view
  useLayoutEffect(() => {
    if (sent > 0) toEnd()
  }, [sent, toEnd])
  return (
    <Transcript
      label={`Conversation with ${agent.displayName}`}
      view={view}
      entries={entries}
      top={<TopLine start="This is the start of the conversation" older={older} />}
      empty={<ConversationStart agent={agent} onSuggest={props.onSuggest} />}
      newest={view.isAtEnd ? null : { words: 'Jump to newest', go: toEnd }}
      render={({ detail, beginsAnew, endsHere }) => (
        <div className="pb-6">
          {beginsAnew ? <NewConversation name={agent.displayName} /> : null}
          <ConversationRunView agent={agent} detail={detail} live={stream.runs.get(detail.run.id)} />
          {endsHere ? <NewConversation name={agent.displayName} /> : null}
        </div>
      )}
    />
  )
}

const RUN_PX = 240

interface RunEntry extends TranscriptEntry {
  readonly detail: ConversationRun
  /** Whether a new conversation begins with this run. */
  readonly beginsAnew: boolean
  /** Whether a new conversation begins after this run. */
  readonly endsHere: boolean
}

function runEntries(runs: readonly ConversationRun[], anew: ReturnType<typeof beginnings>): readonly RunEntry[] {
  return runs.map((detail, index) => ({
    key: detail.run.id,
    detail,
    beginsAnew: anew.with.has(detail.run.id),
    endsHere: anew.behindAll && index === runs.length - 1,
  }))
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
