import { applyExchangeEvent } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/open-store.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import type { OpenExchange } from './kept-exchange.ts'
import { afterSignal } from './still-owed.ts'

const PAGE = 200

/**
 * What agents posted since the exchange was last looked at. Posts of `ofRun` are the turn's own and given back; any
 * other one that asks for somebody is a signal from outside a turn.
 */
export async function takeInPosts<Open extends OpenExchange>(
  tx: Pick<Repositories, 'posts'>,
  open: Open,
  headSeq: number,
  ofRun: string | null = null,
): Promise<{ readonly open: Open; readonly said: readonly StoredPost[] }> {
  let { kept } = open
  let seen = kept.seenSeq ?? headSeq
  const said: StoredPost[] = []
  for (;;) {
    const page = await tx.posts.after(open.row.roomId, seen, PAGE)
    for (const post of page) {
      seen = post.seq
      if (post.author.kind !== 'agent') continue
      if (ofRun !== null && post.runId === ofRun) said.push(post)
      else if (post.to.length > 0) kept = takeInPost(kept, post, post.author.id)
    }
    if (page.length < PAGE) return { open: { ...open, kept: { ...kept, seenSeq: seen } }, said }
  }
}

/** It goes on in the chain of the turn or the task that its run has to do with, if that is known. */
function takeInPost(kept: OpenExchange['kept'], post: StoredPost, agentId: string): OpenExchange['kept'] {
  const known =
    kept.runs.find(({ runId }) => runId === post.runId) ?? kept.tasks.find(({ taskId }) => taskId === post.taskId)
  const { chainId, hops } = known ?? { chainId: post.chainId ?? post.id, hops: post.hops }
  const change = applyExchangeEvent(kept.exchange, {
    type: 'post',
    post: { id: post.id, body: post.body, to: post.to },
    cause: { kind: 'agent', agentId, chainId, hops },
  })
  // What the turn under way has read in its prompt it answers.
  const isNews = kept.turn !== null && post.seq > kept.turn.toSeq
  return isNews ? afterSignal(kept, change) : { ...kept, exchange: change.state }
}
