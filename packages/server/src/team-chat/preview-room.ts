import { previewWake, roomIdOf, type WakePreview } from '@clawboo/core/team-chat'
import type { DriverParts } from './exchange-parts.ts'
import { policyOf } from './exchange-view.ts'
import { findAddressed } from './find-addressed.ts'
import { openOf } from './kept-exchange.ts'
import { readMembers } from './participants.ts'
import { beginState } from './queue-exchange.ts'
import { roomConversation } from './room-conversation.ts'
import type { RoomMessage } from './say-to-room.ts'

/** Of so many turns the average is taken. */
const TURNS = 20

/** What a message would set going. Nothing is written. Throws as the message itself would. */
export async function previewRoom(
  parts: DriverParts,
  teamId: string,
  message: Pick<RoomMessage, 'to' | 'skip' | 'mode'>,
): Promise<WakePreview & { readonly joins: boolean }> {
  const { store } = parts
  const roomId = roomIdOf(teamId)
  const { participants, leaderId } = await readMembers(parts, teamId)
  const mentions = await findAddressed(store, teamId, message.to ?? [], leaderId)
  const skip = await findAddressed(store, teamId, message.skip ?? [], leaderId)
  const rows = message.mode === 'steer' ? await store.exchanges.open(roomId) : []
  const row = rows.find(({ status }) => status === 'running')
  const running = row ? openOf(row) : null
  const state = running?.kept.exchange ?? (await beginState(store, { teamId, participants }, 'preview'))
  const prices = await Promise.all(
    participants.map(async ({ agentId }) => [agentId, await averageUsd(parts, roomId, agentId)] as const),
  )
  const policy = policyOf(await store.rooms.get(roomId))
  const preview = previewWake({ state, mentions, skip, policy, averageUsd: new Map(prices) })
  return { ...preview, joins: running !== null }
}

/** What a turn of the agent here has cost on average; null = never one, or one without a known price. */
async function averageUsd({ store }: DriverParts, roomId: string, agentId: string): Promise<number | null> {
  const sessionKey = roomConversation(agentId, roomId)
  const runs = await store.runs.list({ agentId, sessionKey, state: 'ended', limit: TURNS })
  const costs = runs.map(({ costUsd, costComplete }) => (costComplete ? costUsd : null))
  if (costs.length === 0 || costs.some((cost) => cost === null)) return null
  return costs.reduce<number>((sum, cost) => sum + cost!, 0) / costs.length
}
