import { Fragment, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { Conversation, ConversationRun } from '../../../api/conversation.ts'
import type { Agent } from '../../../api/fleet.ts'
import type { AgentStreamState } from '../../../live/agent-stream.ts'
import { Divider } from '../../../shared/transcript/divider.tsx'
import { OlderLine, type OlderMessages } from '../../../shared/transcript/older-line.tsx'
import { TranscriptFrame } from '../../../shared/transcript/transcript-frame.tsx'
import { useStayAtEnd } from '../../../shared/transcript/use-stay-at-end.ts'
import { beginnings } from './conversation-parts.ts'
import { ConversationRunView } from './conversation-run.tsx'
import { ConversationStart } from './conversation-start.tsx'
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
