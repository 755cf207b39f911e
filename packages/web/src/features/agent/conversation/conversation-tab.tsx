import type { RunRecord } from '@clawboo/core/executor'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAgent } from '../../../api/agent/agents.ts'
import { useConversation, useStopAgent } from '../../../api/conversation.ts'
import type { Agent } from '../../../api/fleet.ts'
import { useAgentStream } from '../../../live/agent-stream.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { announceResult } from '../../../shared/problem.tsx'
import { withLiveFigures } from '../../../shared/run/run-words.ts'
import { focusInConversation } from '../../../shared/transcript/focus-in-conversation.ts'
import { FocusHome } from '../../../ui/keyboard/passes-focus.tsx'
import { useEscapeTwice } from '../../../ui/keyboard/shortcuts.ts'
import { usePageActions } from '../../../ui/page-actions.ts'
import { useStoredDraft, withAdded } from '../../../ui/state/use-stored-draft.ts'
import { AgentComposer } from './agent-composer.tsx'
import { runsOfThis, takenWords } from './conversation-parts.ts'
import { type ContextUse, ConversationStrip } from './conversation-strip.tsx'
import { type ConversationProps, ConversationTranscript } from './conversation-transcript.tsx'
import { ModelNote } from './model-select.tsx'
import { newMessageId } from './outbox.ts'
import { type Unsent, useOutbox } from './outbox-store.ts'
import { WaitingMessages } from './waiting-messages.tsx'

const route = getRouteApi('/shell/agents/$agentId')

/** The conversation with a Boo. People have no conversation page. */
export function ConversationTab() {
  const { agentId } = route.useParams()
  const { agent } = useAgent(agentId)
  if (!agent) return null
  if (agent.participantKind === 'human') return <Navigate to="/agents/$agentId/identity" params={{ agentId }} replace />
  return <LoadedConversation key={agent.id} agent={agent} />
}

function LoadedConversation({ agent }: { agent: Agent }) {
  const conversation = useConversation(agent.id)
  const newest = conversation.data?.pages[0]
  const stream = useAgentStream(agent.id, newest !== undefined && newest.activeRunId !== null)
  const runs = useMemo(
    () => conversation.data?.pages.toReversed().flatMap((page) => page.runs) ?? [],
    [conversation.data],
  )
  if (!newest) {
    return (
      <Loaded reading={conversation} name="the conversation" rows={3}>
        {() => null}
      </Loaded>
    )
  }
  const older = {
    exist: conversation.hasNextPage,
    isLoading: conversation.isFetchingNextPage,
    hasFailed: conversation.isFetchNextPageError,
    load: () => void conversation.fetchNextPage(),
  }
  return <ConversationFrame agent={agent} newest={newest} runs={runs} stream={stream} older={older} />
}

function ConversationFrame(props: ConversationProps) {
  const { agent, newest, runs, stream } = props
  const active = newest.activeRunId !== null
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, type] = useStoredDraft(`clawboo.message.${agent.id}`)
  const outbox = useOutbox(agent.id)
  const [sent, setSent] = useState(0)
  const stop = useStop(agent)
  const escaped = useEscapeTwice(active, stop)
  const goHome = useCallback(() => focusInConversation(field.current), [])
  const write = (added: string) => {
    type((draft) => withAdded(draft, added))
    field.current?.focus()
  }
  const send = (item: Unsent) => {
    outbox.send(item)
    setSent((count) => count + 1)
  }
  usePageActions(
    active
      ? [{ id: 'stop-agent', title: 'Stop', place: agent.displayName, icon: 'stop', keys: 'Esc Esc', run: stop }]
      : [],
  )
  useFocusWhenEmpty(field, runs.length === 0)
  const own = runsOfThis(runs, newest.begunAnew, props.older.exist)
  const figures = own.runs.map((run) => withLiveFigures(run, stream.runs.get(run.id)))
  return (
    <FocusHome value={goHome}>
      <ConversationStrip
        agent={agent}
        conversation={newest}
        taken={takenWords(figures, own.more)}
        context={contextUse(figures)}
        onReset={goHome}
      />
      <ModelNote agent={agent} conversation={newest} />
      <ConversationTranscript {...props} sent={sent} onSuggest={write} />
      <div className="mx-auto w-full max-w-[860px] shrink-0 px-5 pb-4">
        <WaitingMessages agentId={agent.id} queued={newest.queued} outbox={{ ...outbox, send }} onEdit={write} />
        <AgentComposer
          name={agent.displayName}
          active={active}
          defaultMode={newest.settings.queueMode ?? 'steer'}
          escaped={escaped}
          field={field}
          text={text}
          onType={type}
          onSend={(message, mode) => send({ id: newMessageId(), text: message, mode })}
          onStop={stop}
        />
        <p role="status" className="sr-only">
          {active ? `${agent.displayName} is working` : ''}
        </p>
      </div>
    </FocusHome>
  )
}

/** From the newest run with a context figure. */
function contextUse(runs: readonly RunRecord[]): ContextUse | null {
  const latest = runs.findLast(({ contextTokens }) => contextTokens !== null)
  return latest?.contextTokens ? { tokens: latest.contextTokens, window: latest.contextWindowTokens } : null
}

function useStop(agent: Agent): () => void {
  const { mutateAsync } = useStopAgent(agent.id)
  const words = ({ stopped }: { readonly stopped: string | null }) =>
    stopped ? `${agent.displayName} is stopping` : 'Nothing was running'
  return () => announceResult(mutateAsync(), words, 'stop')
}

/** In an empty conversation, the message field gets the focus. */
function useFocusWhenEmpty(field: RefObject<HTMLTextAreaElement | null>, empty: boolean): void {
  const first = useRef(empty)
  useEffect(() => {
    if (first.current && !document.querySelector('dialog[open]')) field.current?.focus()
  }, [field])
}
