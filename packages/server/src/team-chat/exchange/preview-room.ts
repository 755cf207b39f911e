import { previewWake, roomIdOf, type WakePreview } from '@clawboo/core/team-chat'
import { findAddressed, readMembers } from '../posts/room-members.ts'
import { initialState, parseExchange, policyOf, roomConversation } from './exchange-record.ts'
import type { ExchangeServices } from './exchange-services.ts'
import type { RoomMessage } from './say-to-room.ts'

/** The number of past turns in the average cost. */
const TURNS = 20

/** The effect of a message, without sending it. Throws the errors that sending it would. */
export async function previewRoom(
  services: ExchangeServices,
  teamId: string,
  message: Pick<RoomMessage, 'to' | 'skip' | 'mode'>,
): Promise<WakePreview & { readonly joins: boolean }> {
  const { store } = services
  const roomId = roomIdOf(teamId)
  const { participants, leaderId } = await readMembers(services, teamId)
  const mentions = await findAddressed(store, teamId, message.to ?? [], leaderId)
  const skip = await findAddressed(store, teamId, message.skip ?? [], leaderId)
  const rows = message.mode === 'steer' ? await store.exchanges.open(roomId) : []
  const row = rows.find(({ status }) => status === 'running')
  const running = row ? parseExchange(row) : null
  const state = running?.stored.exchange ?? (await initialState(store, { teamId, participants }, 'preview'))
  const prices = await Promise.all(
    participants.map(async ({ agentId }) => [agentId, await averageUsd(services, roomId, agentId)] as const),
  )
  const policy = policyOf(await store.rooms.get(roomId))
  const preview = previewWake({ state, mentions, skip, policy, averageUsd: new Map(prices) })
  return { ...preview, joins: running !== null }
}

/** The average cost of the agent's turns in this room; null = it had none, or the cost of one is unknown. */
async function averageUsd({ store }: ExchangeServices, roomId: string, agentId: string): Promise<number | null> {
  const sessionKey = roomConversation(agentId, roomId)
  const runs = await store.runs.list({ agentId, sessionKey, state: 'ended', limit: TURNS })
  const costs = runs.map(({ costUsd, costComplete }) => (costComplete ? costUsd : null))
  if (costs.length === 0 || costs.some((cost) => cost === null)) return null
  return costs.reduce<number>((sum, cost) => sum + cost!, 0) / costs.length
}
