import type { LiveEvent } from '@clawboo/api'
import type { OperationInput } from '@clawboo/api/client'
import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { applyToConversation, type Conversation, toConversation } from '../live/apply-run-events.ts'
import { eventFeed } from '../live/event-feed.ts'
import { client } from './client.ts'
import { useChange } from './operation.ts'

export type { Conversation, ConversationRun } from '../live/apply-run-events.ts'

const RUNS_A_PAGE = 20

const conversationQueryKey = (agentId: string) => ['agent', agentId, 'conversation'] as const

type Pages = InfiniteData<Conversation, string | undefined>

/** The conversation, newest part first; `fetchNextPage` loads older parts. */
export function useConversation(agentId: string) {
  return useInfiniteQuery({
    queryKey: conversationQueryKey(agentId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: RUNS_A_PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }
      return eventFeed.catchUp(
        async () => toConversation(await client.readConversation({ params: { agentId }, query, signal })),
        (conversation, events) =>
          pageParam === undefined ? applyToConversation(agentId, conversation, events) : conversation,
      )
    },
    getNextPageParam: (page) => (page.hasMore ? page.runs[0]?.run.id : undefined),
  })
}

export function patchConversations(queries: QueryClient, events: readonly LiveEvent[]): void {
  const agentIds = new Set<string>()
  for (const event of events) {
    if (event.type === 'run-started' || event.type === 'run-ended') agentIds.add(event.run.agentId)
    if (event.type === 'message-changed') agentIds.add(event.message.agentId)
    if (event.type === 'conversation-changed') {
      void queries.invalidateQueries({ queryKey: conversationQueryKey(event.agentId) })
    }
  }
  for (const agentId of agentIds) {
    patchNewest(queries, agentId, (conversation) => applyToConversation(agentId, conversation, events))
  }
}

function patchNewest(queries: QueryClient, agentId: string, change: (newest: Conversation) => Conversation): void {
  queries.setQueryData<Pages>(conversationQueryKey(agentId), (data) => {
    const newest = data?.pages[0]
    if (!data || !newest) return data
    const next = change(newest)
    return next === newest ? data : { ...data, pages: [next, ...data.pages.slice(1)] }
  })
}

/** Sends a message. The sender chooses the id: sending the same id again returns the first result and stores nothing new. */
export function useSendMessage(agentId: string) {
  // The feed reports the message's state; the response may be older than the last event.
  return useChange((body: OperationInput<'sendMessage'>['body']) => client.sendMessage({ params: { agentId }, body }))
}

export function useWithdrawMessage(agentId: string) {
  return useChange(
    (messageId: string) => client.withdrawMessage({ params: { agentId, messageId } }),
    (message, queries) =>
      patchNewest(queries, agentId, (conversation) =>
        applyToConversation(agentId, conversation, [{ type: 'message-changed', message }]),
      ),
  )
}

export function useChangeConversation(agentId: string) {
  return useChange(
    (body: OperationInput<'changeConversation'>['body']) => client.changeConversation({ params: { agentId }, body }),
    (settings, queries) => patchNewest(queries, agentId, (conversation) => ({ ...conversation, settings })),
  )
}

export function useResetConversation(agentId: string) {
  return useChange(
    () => client.resetConversation({ params: { agentId }, body: {} }),
    // Not removed from the cache: that would unmount the page that the person is using.
    (_, queries) => queries.invalidateQueries({ queryKey: conversationQueryKey(agentId) }),
  )
}

export function useStopAgent(agentId: string) {
  return useChange(() => client.stopAgent({ params: { agentId }, body: {} }))
}
