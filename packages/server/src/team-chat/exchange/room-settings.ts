import { ClawbooError } from '@clawboo/core'
import { MAX_TURNS, roomIdOf } from '@clawboo/core/team-chat'
import type { RoomSettings } from '../../store/repositories/rooms/rooms-repository.ts'
import type { ExchangeServices } from './exchange-services.ts'

interface RoomSettingsView {
  readonly teamId: string
  /** null = the default. */
  readonly turnCap: number | null
  readonly defaultTurnCap: number
  readonly wakesLeader: boolean
}

/** Throws `team_not_found`. */
export async function readRoomSettings({ store }: ExchangeServices, teamId: string): Promise<RoomSettingsView> {
  const room = await store.rooms.get(roomIdOf(teamId))
  if (!room && !(await store.teams.get(teamId))) throw teamNotFound(teamId)
  const { turnCap = null, wakesLeader = false } = room ?? {}
  return { teamId, turnCap, wakesLeader, defaultTurnCap: MAX_TURNS.default }
}

/** Absent settings stay as they are. Throws `team_not_found`, and `request_invalid` for a cap out of range. */
export async function changeRoomSettings(
  services: ExchangeServices,
  teamId: string,
  settings: RoomSettings,
): Promise<RoomSettingsView> {
  const { turnCap } = settings
  if (typeof turnCap === 'number' && !(Number.isSafeInteger(turnCap) && turnCap >= 1 && turnCap <= MAX_TURNS.most))
    throw new ClawbooError('request_invalid', `a turn cap is a whole number from 1 to ${MAX_TURNS.most}`)
  const change = { action: 'team-chat.configure', subject: teamId }
  return services.record<RoomSettingsView>(change, async (tx) => {
    const id = roomIdOf(teamId)
    const before = await tx.rooms.ensure({ id, teamId, at: services.now() })
    const room = before && (await tx.rooms.configure(id, settings))
    if (!room) throw teamNotFound(teamId)
    const view = { teamId, turnCap: room.turnCap, wakesLeader: room.wakesLeader }
    const isSame = before.turnCap === room.turnCap && before.wakesLeader === room.wakesLeader
    return {
      result: { ...view, defaultTurnCap: MAX_TURNS.default },
      events: isSame ? [] : [{ type: 'room-settings-changed', ...view }],
      detail: settings,
    }
  })
}

function teamNotFound(teamId: string): ClawbooError {
  return new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
}
