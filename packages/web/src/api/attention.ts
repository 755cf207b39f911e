import type { LiveEvent } from '@clawboo/api'
import { ApiError, type OperationOutput } from '@clawboo/api/client'
import type { AttentionAnswer } from '@clawboo/core/executor'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { applyToAttention } from '../live/apply-to-attention.ts'
import { eventFeed } from '../live/event-feed.ts'
import { createValueStore } from '../ui/state/value-store.ts'
import { client } from './client.ts'

export type AttentionItem = OperationOutput<'answerAttention'>

const attentionKey = ['attention'] as const
const SHOWN = 500
const NONE: readonly AttentionItem[] = []

/** The attention items: open ones by age, then settled ones, newest first. */
export function useAttention() {
  return useQuery({
    queryKey: attentionKey,
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        async (): Promise<readonly AttentionItem[]> =>
          (await client.listAttention({ query: { limit: SHOWN }, signal })).items,
        applyToAttention,
      ),
  })
}

export function useOpenAttention(): readonly AttentionItem[] {
  const items = useAttention().data ?? NONE
  return useMemo(() => items.filter((item) => item.state === 'open'), [items])
}

/** The attention item of an approval, open or settled; undefined when it is not in the list. */
export function useApprovalItem(runId: string, approvalId: string): AttentionItem | undefined {
  return useApprovalItems(runId).get(approvalId)
}

/** The attention items of all approvals of a run, by approval id. */
export function useApprovalItems(runId: string): ReadonlyMap<string, AttentionItem> {
  const items = useAttention().data ?? NONE
  return useMemo(
    () =>
      new Map(
        items.flatMap((item) =>
          item.runId === runId && item.kind === 'approval' && item.subjectId !== null ? [[item.subjectId, item]] : [],
        ),
      ),
    [items, runId],
  )
}

interface GivenAnswer {
  readonly itemId: string
  readonly answer: AttentionAnswer
  /** For a person's task. */
  readonly text?: string
}

export function useAnswerAttention() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ itemId, answer, text }: GivenAnswer) =>
      client.answerAttention({ params: { itemId }, body: { answer, ...(text ? { text } : {}) } }),
    onSuccess: (item) => patchAttention(queries, [{ type: 'attention-changed', item }]),
    onError: (error) => {
      if (wasSettled(error)) void queries.invalidateQueries({ queryKey: attentionKey })
    },
  })
}

/** Whether another answer or the deadline settled the item first. */
export function wasSettled(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'attention_settled' || error.code === 'attention_not_found')
}

export function patchAttention(queries: QueryClient, events: readonly LiveEvent[]): void {
  queries.setQueryData<readonly AttentionItem[]>(attentionKey, (items) => items && applyToAttention(items, events))
}

/** Updates `waitingAgents` from the open items. */
export function useShowWaiting(): void {
  const open = useOpenAttention()
  useEffect(() => {
    setWaitingAgents(open.flatMap(({ kind, agentId }) => (kind === 'approval' && agentId !== null ? [agentId] : [])))
  }, [open])
}

/** The agents that wait for a person's answer. The whole page shares this set. */
export const waitingAgents = createValueStore<ReadonlySet<string>>(new Set())

/** Keeps the existing set when the same agents wait, so that nothing renders again. */
function setWaitingAgents(agentIds: Iterable<string>): void {
  const next = new Set(agentIds)
  const now = waitingAgents.get()
  if (next.size !== now.size || [...next].some((id) => !now.has(id))) waitingAgents.set(next)
}
