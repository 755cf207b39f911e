import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import type { RecordChange } from '../registry/record-change.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { appendPosts, type PostDraft, posted } from './append-post.ts'

/** Posts of one room wait for each other in any case, so those that wait together are committed together. */
export interface PostQueue {
  add(draft: PostDraft): Promise<StoredPost>
}

const MOST_AT_ONCE = 50

interface WaitingPost {
  readonly draft: PostDraft
  readonly done: PromiseWithResolvers<StoredPost>
}

/** One queue for each team that is posted to at the moment. */
export function createPostQueue(record: RecordChange): PostQueue {
  const rooms = new Map<string, WaitingPost[]>()
  const post = (drafts: readonly PostDraft[]) =>
    record(ABOUT, async (tx) => {
      const posts = await appendPosts(tx, drafts[0]!.teamId, drafts)
      return { result: posts, events: posts.map(posted) }
    })
  const postBatch = async (batch: readonly WaitingPost[]) => {
    try {
      const posts = await post(batch.map(({ draft }) => draft))
      for (const [n, { done }] of batch.entries()) done.resolve(posts[n]!)
    } catch (error) {
      // What is wrong with one is not wrong with the others, unless nobody can write.
      if (batch.length > 1 && !isOutOfReach(error)) for (const one of batch) await postBatch([one])
      else for (const { done } of batch) done.reject(error)
    }
  }
  const work = async (teamId: string, waiting: WaitingPost[]) => {
    while (waiting.length > 0) {
      // Those whose post was just committed may have the next one at hand.
      await nextTurn()
      await postBatch(waiting.splice(0, MOST_AT_ONCE))
    }
    rooms.delete(teamId)
  }
  return {
    add(draft) {
      const done = Promise.withResolvers<StoredPost>()
      const waiting = rooms.get(draft.teamId)
      if (waiting) waiting.push({ draft, done })
      else {
        const begun = [{ draft, done }]
        rooms.set(draft.teamId, begun)
        void work(draft.teamId, begun)
      }
      return done.promise
    },
  }
}

const ABOUT = { action: null } as const

function isOutOfReach(error: unknown): boolean {
  return error instanceof ClawbooError && error.code === 'store_unavailable'
}
