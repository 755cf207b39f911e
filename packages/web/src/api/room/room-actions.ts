import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { eventFeed } from '../../live/event-feed.ts'
import { client } from '../client.ts'
import { operationKey, useChange, useOperation } from '../operation.ts'

export type RoomMessage = Omit<OperationInput<'startExchange'>['body'], 'teamId'>
export type RoomPreview = OperationOutput<'previewRoom'>
export type PreviewRequest = Pick<RoomMessage, 'to' | 'skip' | 'mode'>
export type RoomSettings = OperationOutput<'getRoomSettings'>
type StopRequest = Omit<OperationInput<'stopRoom'>['body'], 'teamId'>
type SettingsPatch = Omit<OperationInput<'changeRoomSettings'>['body'], 'teamId'>

/** Sends a message that Boos may answer. The feed reports what follows. */
export function useSendToRoom(teamId: string) {
  return useChange((message: RoomMessage) => client.startExchange({ body: { teamId, ...message } }))
}

/** Posts a message that no Boo answers. */
export function useSayOnly(teamId: string) {
  return useChange((message: Pick<RoomMessage, 'body' | 'to' | 'as'>) =>
    client.postToRoom({ body: { teamId, ...message } }),
  )
}

export function useStopRoom(teamId: string) {
  return useChange((request: StopRequest) => client.stopRoom({ body: { teamId, ...request } }))
}

/** The preview of a message; null requests none. A new `asOf` requests the preview again. */
export function useRoomPreview(teamId: string, request: PreviewRequest | null, asOf: string) {
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
    queryKey: ['room-preview', teamId, request, asOf],
    queryFn: ({ signal }) => client.previewRoom({ body: { teamId, ...request }, signal }),
    enabled: request !== null,
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
  return useOperation(
    'getExchange',
    { params: { exchangeId: exchangeId ?? '' } },
    { enabled: exchangeId !== null, staleTime: 0, retry: false },
  )
}

/** The post with this number; undefined while it loads or if it does not exist. */
export function useRoomPost(teamId: string, seq: number | null) {
  return useOperation(
    'readRoom',
    { query: { teamId, before: (seq ?? 0) + 1, limit: 1 } },
    { enabled: seq !== null, retry: false, select: ({ posts }) => posts.find((post) => post.seq === seq) },
  )
}

export const roomSettingsKey = (teamId: string) => operationKey('getRoomSettings', { query: { teamId } })

export function useRoomSettings(teamId: string) {
  return useOperation('getRoomSettings', { query: { teamId } })
}

export function useChangeRoomSettings(teamId: string) {
  return useChange(
    (patch: SettingsPatch) => client.changeRoomSettings({ body: { teamId, ...patch } }),
    (settings, queries) => queries.setQueryData<RoomSettings>(roomSettingsKey(teamId), settings),
  )
}
