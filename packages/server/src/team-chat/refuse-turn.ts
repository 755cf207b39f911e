import type { SpeakStep } from '@clawboo/core/team-chat'
import { appendPost, posted, roomLock } from './append-post.ts'
import { turnKey } from './close-turn.ts'
import type { DriverParts } from './exchange-parts.ts'
import { exchangeChanged } from './exchange-view.ts'
import { type OpenExchange, readOpen, saveKept } from './kept-exchange.ts'
import { withEvents } from './plan-step.ts'
import { cutBody } from './post-body.ts'

/** A turn of somebody who cannot run: it counts, it answers nothing more, and the room learns why. */
export function refuseTurn(parts: DriverParts, given: OpenExchange, step: SpeakStep, why: string): Promise<void> {
  const { teamId, row } = given
  return parts.record({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const found = await readOpen(tx, row.id)
    if (!found || found.row.owner !== parts.instance) return { result: undefined, events: [] }
    const at = parts.now()
    const { agentId, chainId, hops, obligations } = step
    const answers = obligations.map(({ id }) => id)
    const turnId = turnKey(row.id, step)
    const open = withEvents(found, [{ type: 'turn', turnId, agentId, chainId, hops, answers, posts: [] }])
    await saveKept(tx, open, at)
    const said = { teamId, author: { kind: 'system' }, body: cutBody(why), credential: 'server', at } as const
    const { post } = await appendPost(tx, said)
    return { result: undefined, events: [posted(post), exchangeChanged(open, await tx.rooms.get(row.roomId))] }
  })
}
