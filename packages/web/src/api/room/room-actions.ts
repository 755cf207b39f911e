import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { eventFeed } from '../../live/event-feed.ts'
import { client } from '../client.ts'

export type RoomMessage = Omit<OperationInput<'startExchange'>['body'], 'teamId'>
export type RoomPreview = OperationOutput<'previewRoom'>
export type RoomWish = Pick<RoomMessage, 'to' | 'skip' | 'mode'>
type StopWish = Omit<OperationInput<'stopRoom'>['body'], 'teamId'>

/** Says something and lets Boos answer. What becomes of it is told by the feed. */
export function useSendToRoom(teamId: string) {
  return useMutation({ mutationFn: (message: RoomMessage) => client.startExchange({ body: { teamId, ...message } }) })
}

/** Says something that nobody answers. */
export function useSayOnly(teamId: string) {
  return useMutation({
    mutationFn: (message: Pick<RoomMessage, 'body' | 'to' | 'as'>) =>
      client.postToRoom({ body: { teamId, ...message } }),
  })
}

export function useStopRoom(teamId: string) {
  return useMutation({ mutationFn: (wish: StopWish) => client.stopRoom({ body: { teamId, ...wish } }) })
}

/** The preview of a message; null = none is requested. A change of `asOf` requests it again. */
export function useRoomPreview(teamId: string, wish: RoomWish | null, asOf: string) {
  const queries = useQueryClient()
  useEffect(
    () =>
      eventFeed.subscribe((message) => {
        const isBound = message.type === 'event' && message.event.type === 'room-settings-changed'
        if (isBound) void queries.invalidateQueries({ queryKey: ['room-preview', teamId] })
      }),
    [queries, teamId],
  )
  return useQuery({
    queryKey: ['room-preview', teamId, wish, asOf],
    queryFn: ({ signal }) => client.previewRoom({ body: { teamId, ...wish }, signal }),
    enabled: wish !== null,
    // Each turn changes what the next one is likely to cost.
    staleTime: 0,
    gcTime: 10_000,
    retry: false,
    // Until the answer is there, the one before stands; another team's never does.
    placeholderData: (before, query) => (query?.queryKey[1] === teamId ? before : undefined),
  })
}

/** One exchange by itself: of those that ended the room tells nothing. */
export function useExchange(exchangeId: string | null) {
  return useQuery({
    queryKey: ['exchange', exchangeId],
    queryFn: ({ signal }) => client.getExchange({ params: { exchangeId: exchangeId! }, signal }),
    enabled: exchangeId !== null,
    staleTime: 0,
    retry: false,
  })
}

/** The post with this number; undefined while it is on its way or is not there. */
export function useRoomPost(teamId: string, seq: number | null) {
  return useQuery({
    queryKey: ['room-post', teamId, seq],
    queryFn: async ({ signal }) => {
      const { posts } = await client.readRoom({ query: { teamId, before: seq! + 1, limit: 1 }, signal })
      return posts.find((post) => post.seq === seq) ?? null
    },
    enabled: seq !== null,
    retry: false,
  })
}
