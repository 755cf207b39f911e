import { applyExchangeEvent, type ExchangeChange } from '@clawboo/core/team-chat'
import type { Repositories } from '../../store/open-store.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import type { OpenExchange, StoredState } from './exchange-record.ts'

const PAGE = 200

/**
 * Applies the posts of agents since the exchange was last updated. The posts of the run `turnRunId` belong to its turn
 * and are returned instead; any other post with addressees is a signal from outside the turn.
 */
export async function applyNewPosts<Open extends OpenExchange>(
  tx: Pick<Repositories, 'posts'>,
  open: Open,
  headSeq: number,
  turnRunId: string | null = null,
): Promise<{ readonly open: Open; readonly turnPosts: readonly StoredPost[] }> {
  let { stored } = open
  let seenSeq = stored.seenSeq ?? headSeq
  const turnPosts: StoredPost[] = []
  for (;;) {
    const page = await tx.posts.after(open.row.roomId, seenSeq, PAGE)
    for (const post of page) {
      seenSeq = post.seq
      if (post.author.kind !== 'agent') continue
      if (turnRunId !== null && post.runId === turnRunId) turnPosts.push(post)
      else if (post.to.length > 0) stored = applyPost(stored, post, post.author.id)
    }
    if (page.length < PAGE) return { open: { ...open, stored: { ...stored, seenSeq } }, turnPosts }
  }
}

/** The post continues the chain of its run's turn or task, when the exchange has one. */
function applyPost(stored: StoredState, post: StoredPost, agentId: string): StoredState {
  const source =
    stored.runs.find(({ runId }) => runId === post.runId) ?? stored.tasks.find(({ taskId }) => taskId === post.taskId)
  const { chainId, hops } = source ?? { chainId: post.chainId ?? post.id, hops: post.hops }
  const change = applyExchangeEvent(stored.exchange, {
    type: 'post',
    post: { id: post.id, body: post.body, to: post.to },
    cause: { kind: 'agent', agentId, chainId, hops },
  })
  // A post that is in the active turn's prompt is answered by that turn.
  const isAfterPrompt = stored.turn !== null && post.seq > stored.turn.toSeq
  return isAfterPrompt ? applySignalChange(stored, change) : { ...stored, exchange: change.state }
}

/**
 * Applies a change that came from outside the turns. Core drops a second wake of the speaker in the same chain, because
 * the obligation exists already. But the active turn began without this signal, so it must not fulfil the obligation.
 */
export function applySignalChange(stored: StoredState, { state, dropped }: ExchangeChange): StoredState {
  const { turn } = stored
  const repeated = dropped.filter(({ reason, agentId }) => reason === 'already_owed' && agentId === turn?.agentId)
  if (!turn || repeated.length === 0) return { ...stored, exchange: state }
  const stillOwed = state.obligations
    .filter(({ agentId, chainId }) => agentId === turn.agentId && repeated.some((wake) => wake.chainId === chainId))
    .map(({ id }) => id)
  const answers = turn.answers.filter((id) => !stillOwed.includes(id))
  return { ...stored, exchange: state, turn: { ...turn, answers } }
}
