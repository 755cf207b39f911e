import { mayBecomePass } from '@clawboo/core/team-chat'
import { useMemo, useRef } from 'react'
import type { Room, RoomPost } from '../../../api/room/room.ts'
import { useAgentStream } from '../../../live/agent-stream.ts'
import { isBehind } from '../../../live/apply-to-room.ts'
import { EMPTY_FOLD, type RunFold } from '../../../live/fold-run.ts'
import type { RunBlock, ToolBlock } from '../../../live/run-block.ts'

/** A turn in progress, as far as it was streamed. */
export interface LiveTurn {
  readonly agentId: string
  readonly runId: string
  readonly fold: RunFold
  readonly blocks: readonly RunBlock[]
}

const NONE: readonly LiveTurn[] = []

/** The turns without a post: of the current speaker, and of the previous one while its post loads. */
export function useLiveTurns(room: Room): readonly LiveTurn[] {
  const speaker = room.exchanges.find(({ status }) => status === 'running')?.speaker ?? null
  const last = useRef<Speaking | null>(null)
  const past = useRef<Speaking | null>(null)
  const agentId = speaker?.agentId ?? last.current?.agentId ?? ''
  const stream = useAgentStream(agentId, speaker !== null)
  if (speaker && last.current?.runId !== speaker.runId) {
    past.current = last.current
    last.current = { agentId, runId: speaker.runId, fold: EMPTY_FOLD }
  }
  const streamed = last.current && stream.runs.get(last.current.runId)
  if (last.current && streamed && streamed !== last.current.fold) last.current = { ...last.current, fold: streamed }
  const behind = isBehind(room)
  if (!behind) past.current = null
  if (!speaker && !behind) last.current = null
  const [before, now] = [past.current, last.current]
  return useMemo(() => {
    if (!room.follows || (!before && !now)) return NONE
    return [before, now].flatMap((turn) => (turn ? (liveTurn(turn, room.posts) ?? []) : []))
  }, [before, now, room.follows, room.posts])
}

type Speaking = Omit<LiveTurn, 'blocks'>

/** Posts of a turn are among the newest. */
const LOOKED_AT = 100

/** null once its last message is in the room, or when it ended without one. */
export function liveTurn(turn: Speaking, posts: readonly RoomPost[]): LiveTurn | null {
  const own = posts.slice(-LOOKED_AT).filter(({ runId }) => runId === turn.runId)
  if (own.some(({ credential, kind }) => credential === 'mediated' || kind === 'system')) return null
  const blocks = shownBlocks(turn.fold.blocks, own)
  return turn.fold.end !== null && blocks.length === 0 ? null : { ...turn, blocks }
}

/** The blocks without the prompt, a possible pass, and texts that the agent posted itself. */
export function shownBlocks(blocks: readonly RunBlock[], own: readonly Pick<RoomPost, 'body'>[]): readonly RunBlock[] {
  const posted = new Set(own.map(({ body }) => body.trim()))
  return blocks.filter((block) => {
    if (block.kind === 'prompt') return false
    if (block.kind === 'tool') return !isPost(block)
    if (block.kind !== 'text') return true
    const words = block.text.trim()
    return !posted.has(words) && !mayBecomePass(words)
  })
}

function isPost({ tool, result }: ToolBlock): boolean {
  return tool.endsWith('team_chat_post') && result !== null && !result.isError
}
