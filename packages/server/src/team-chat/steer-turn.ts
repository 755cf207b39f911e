import type { DriverParts } from './exchange-parts.ts'
import type { RoomHands } from './room-hands.ts'
import { messagePrompt } from './room-prompt.ts'
import type { SentMessage } from './say-to-room.ts'

/**
 * Hands a message to whoever speaks just now, if its runtime takes one and nobody else was picked. Until it is delivered
 * it is owed as any other, so that the next speaker hears it when this one does not.
 */
export async function steerTurn(
  { store, log }: DriverParts,
  hands: RoomHands,
  { post, exchange }: SentMessage,
): Promise<void> {
  const { turn } = hands
  const run = turn?.control.run
  if (!turn || !run || hands.exchangeId !== exchange.id) return
  if (post.to.length > 0 && !post.to.includes(turn.step.agentId)) return
  const from = post.author.kind === 'person' ? (await store.agents.get(post.author.id))?.displayName : undefined
  const prompt = { id: post.id, text: messagePrompt(from ?? 'The operator', post.body) }
  await run.steer(prompt).catch((error: unknown) => log.warn('a message did not reach a turn', { error }))
}
