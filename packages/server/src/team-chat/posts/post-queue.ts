import { setImmediate as nextTick } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import type { RecordChange } from '../../registry/record-change.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { appendPosts, type PostDraft, postedEvent } from './append-post.ts'

/** Commits posts that wait for the same room together: they have to wait for each other anyway. */
export interface PostQueue {
  add(draft: PostDraft): Promise<StoredPost>
}

const MOST_AT_ONCE = 50

interface WaitingPost {
  readonly draft: PostDraft
  readonly stored: PromiseWithResolvers<StoredPost>
}

export function createPostQueue(record: RecordChange): PostQueue {
  /** The waiting posts of each team with an active writer. */
  const queues = new Map<string, WaitingPost[]>()
  const store = (drafts: readonly PostDraft[]) =>
    record({ action: null }, async (tx) => {
      const posts = await appendPosts(tx, drafts[0]!.teamId, drafts)
      return { result: posts, events: posts.map(postedEvent) }
    })
  const storeBatch = async (batch: readonly WaitingPost[]) => {
    try {
      const posts = await store(batch.map(({ draft }) => draft))
      for (const [n, { stored }] of batch.entries()) stored.resolve(posts[n]!)
    } catch (error) {
      // One bad post must not take the others with it, unless the store is away for all of them.
      if (batch.length > 1 && !isStoreAway(error)) for (const post of batch) await storeBatch([post])
      else for (const { stored } of batch) stored.reject(error)
    }
  }
  const work = async (teamId: string, waiting: WaitingPost[]) => {
    while (waiting.length > 0) {
      // Authors whose post was just committed may add their next one now.
      await nextTick()
      await storeBatch(waiting.splice(0, MOST_AT_ONCE))
    }
    queues.delete(teamId)
  }
  return {
    add(draft) {
      const post = { draft, stored: Promise.withResolvers<StoredPost>() }
      const waiting = queues.get(draft.teamId)
      if (waiting) waiting.push(post)
      else {
        const queue = [post]
        queues.set(draft.teamId, queue)
        void work(draft.teamId, queue)
      }
      return post.stored.promise
    },
  }
}

function isStoreAway(error: unknown): boolean {
  return error instanceof ClawbooError && error.code === 'store_unavailable'
}
