import type { OperationInput, OperationOutput } from '@clawboo/api/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../client.ts'

export type RoomSettings = OperationOutput<'getRoomSettings'>
export type RoomSettingsPatch = Omit<OperationInput<'changeRoomSettings'>['body'], 'teamId'>

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
