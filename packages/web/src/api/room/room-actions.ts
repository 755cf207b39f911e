import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { eventFeed } from '../../live/event-feed.ts'
import { client } from '../client.ts'

type RoomMessage = Omit<OperationInput<'startExchange'>['body'], 'teamId'>
export type RoomPreview = OperationOutput<'previewRoom'>
export type RoomWish = Pick<RoomMessage, 'to' | 'skip' | 'mode'>
type StopWish = Omit<OperationInput<'stopRoom'>['body'], 'teamId'>

/** Sends a message that Boos may answer. The feed reports what follows. */
export function useSendToRoom(teamId: string) {
  return useMutation({ mutationFn: (message: RoomMessage) => client.startExchange({ body: { teamId, ...message } }) })
}

/** Posts a message that no Boo answers. */
export function useSayOnly(teamId: string) {
  return useMutation({
    mutationFn: (message: Pick<RoomMessage, 'body' | 'to' | 'as'>) =>
      client.postToRoom({ body: { teamId, ...message } }),
  })
}

export function useStopRoom(teamId: string) {
  return useMutation({ mutationFn: (wish: StopWish) => client.stopRoom({ body: { teamId, ...wish } }) })
}

/** The preview of a message; null requests none. A new `asOf` requests the preview again. */
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
    // Each turn changes the estimated cost of the next one.
    staleTime: 0,
    gcTime: 10_000,
    retry: false,
    // The previous preview stays until the next one arrives, but never for another team.
    placeholderData: (before, query) => (query?.queryKey[1] === teamId ? before : undefined),
  })
}

/** One exchange. The room itself does not include exchanges that ended. */
export function useExchange(exchangeId: string | null) {
  return useQuery({
    queryKey: ['exchange', exchangeId],
    queryFn: ({ signal }) => client.getExchange({ params: { exchangeId: exchangeId! }, signal }),
    enabled: exchangeId !== null,
    staleTime: 0,
    retry: false,
  })
}

/** The post with this number; undefined while it loads or if it does not exist. */
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

export type RoomSettings = OperationOutput<'getRoomSettings'>
type RoomSettingsPatch = Omit<OperationInput<'changeRoomSettings'>['body'], 'teamId'>

const settingsKey = (teamId: string) => ['room-settings', teamId] as const

export function useRoomSettings(teamId: string) {
  return useQuery({
    queryKey: settingsKey(teamId),
    queryFn: ({ signal }) => client.getRoomSettings({ query: { teamId }, signal }),
  })
}

export function useChangeRoomSettings(teamId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (patch: RoomSettingsPatch) => client.changeRoomSettings({ body: { teamId, ...patch } }),
    onSuccess: (settings) => queries.setQueryData<RoomSettings>(settingsKey(teamId), settings),
  })
}
