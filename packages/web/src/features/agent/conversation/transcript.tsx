import { Fragment, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import type { Conversation, ConversationRun } from '../../../api/conversation.ts'
import type { Agent } from '../../../api/fleet.ts'
import type { AgentStreamState } from '../../../live/agent-stream.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { beginnings } from './conversation-parts.ts'
import { ConversationRunView } from './conversation-run.tsx'
import { ConversationStart } from './conversation-start.tsx'
import { useScrollPlace } from './use-scroll-place.ts'

/** All that was said and done, oldest first. Older parts come while scrolling up. */
export function Transcript(props: {
  readonly agent: Agent
  readonly newest: Conversation
  readonly runs: readonly ConversationRun[]
  readonly stream: AgentStreamState
  readonly older: { readonly exist: boolean; readonly loading: boolean; readonly failed: boolean; load: () => void }
  /** Grows with each message that is sent from here: who sends wants to see the answer. */
  readonly sent: number
  readonly onSuggest: (text: string) => void
}) {
  const { agent, runs, stream, older, sent } = props
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const onNearTop = useCallback(() => {
    if (older.exist && !older.loading && !older.failed) older.load()
  }, [older])
  const { atEnd, toEnd } = useScrollPlace({ scroller, content, firstKey: runs[0]?.run.id, onNearTop })
  const { begunAnew } = props.newest
  const anew = useMemo(() => beginnings(runs, begunAnew), [runs, begunAnew])
  useLayoutEffect(() => {
    if (sent > 0) toEnd()
  }, [sent, toEnd])
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        role="log"
        aria-label={`Conversation with ${agent.displayName}`}
        aria-live="off"
        className="h-full overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto flex min-h-full max-w-[820px] flex-col px-5 py-5">
          <OlderLine {...older} />
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
      </div>
      {atEnd ? null : (
        <PassesFocus>
          <Button onClick={toEnd} className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-float">
            <Icon name="down" size={14} />
            Jump to newest
          </Button>
        </PassesFocus>
      )}
    </div>
  )
}

function OlderLine(props: { exist: boolean; loading: boolean; failed: boolean; load: () => void }) {
  if (!props.exist) return null
  return (
    <p role="status" className="pb-4 text-center text-sm text-muted">
      {props.loading ? (
        'Loading what was said before'
      ) : (
        <PassesFocus>
          <Button kind="quiet" onClick={props.load}>
            {props.failed ? 'What was said before could not be loaded. Try again' : 'Load what was said before'}
          </Button>
        </PassesFocus>
      )}
    </p>
  )
}

function NewConversation({ name }: { name: string }) {
  return (
    <div className="flex items-center gap-3 pb-6 text-xs text-muted">
      <span className="h-px flex-1 bg-line" />
      <span>{`New conversation: ${name} no longer has in mind what is above`}</span>
      <span className="h-px flex-1 bg-line" />
    </div>
  )
}
