import type { LiveEvent } from '@clawboo/api/live-event'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { BoardLines } from '../../board/board-change.ts'
import { createBackgroundWork } from '../../executor/background-work.ts'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import type { BoardLine } from '../../store/repositories/board/board-lines-repository.ts'
import { appendPosts, POST_CHARACTERS, postedEvent, roomLock } from '../posts/append-post.ts'

export type BoardNarration = ReturnType<typeof createBoardNarration>

interface NarrationOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly lines: Pick<BoardLines, 'onLine'>
  readonly log: Log
  readonly signals?: LineSignals
}

/** The effects of board lines on exchanges. */
export interface LineSignals {
  /**
   * Reads the needed data outside the transaction. The returned function applies the lines inside the transaction
   * and returns the events.
   */
  prepare(teamId: string): Promise<(tx: Repositories, lines: readonly BoardLine[]) => Promise<LiveEvent[]>>
  /** Called after lines of the team were posted. */
  afterLines(teamId: string): void
}

const PAGE = 50
/**
 * The interval of the search for waiting lines: on a shared database, another server may die after a change and before
 * it posts the line.
 */
const POLL_MS = 2_000

/**
 * Posts board lines to the rooms of their teams. A change of the board stores its line in its own transaction, and the
 * transaction that posts a line deletes it. So each line is posted once and in order, even if a server dies in between.
 */
export function createBoardNarration(options: NarrationOptions) {
  const { store, lines, log } = options
  const dueTeams = new Set<string>()
  let poll: NodeJS.Timeout | undefined
  let stopListening = () => {}

  // A failed pass is repeated later, because the lines are still stored.
  const narrating = createBackgroundWork({
    async pass() {
      for (const teamId of dueTeams) {
        dueTeams.delete(teamId)
        try {
          while (!narrating.isClosed && (await postPage(options, teamId)) === PAGE);
        } catch (error) {
          dueTeams.add(teamId)
          throw error
        }
      }
    },
    hasMore: () => dueTeams.size > 0,
    onError: (error) => log.error('board lines could not be posted', { error }),
  })
  const post = (teamIds: readonly string[]) => {
    for (const teamId of teamIds) dueTeams.add(teamId)
    return narrating.run()
  }
  const postAll = async () => post(await store.boardLines.teams())

  return {
    /** Resolves when the lines from before the start have been posted, or their posting will be retried. */
    async start() {
      narrating.open()
      stopListening = lines.onLine(({ teamId }) => void post([teamId]))
      const notRead = (error: unknown) => log.error('the waiting board lines could not be read', { error })
      if (store.db.engine === 'postgres') poll = setInterval(() => void postAll().catch(notRead), POLL_MS).unref()
      await postAll()
    },
    /** Resolves when no line waits on this server. */
    async settled() {
      while (!narrating.isClosed && (narrating.isRunning || dueTeams.size > 0)) await narrating.run()
    },
    async close() {
      stopListening()
      clearInterval(poll)
      await narrating.close()
    },
  }
}

/** Resolves to the number of lines that were taken. The lines of a removed team are dropped. */
async function postPage({ record, signals }: NarrationOptions, teamId: string): Promise<number> {
  const applySignals = await signals?.prepare(teamId)
  const count = await record<number>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const lines = await tx.boardLines.take(teamId, PAGE)
    const last = lines.at(-1)
    const room = last && (await tx.rooms.ensure({ id: roomIdOf(teamId), teamId, at: last.at }))
    if (!room) return { result: lines.length, events: [] }
    const posts = await appendPosts(
      tx,
      teamId,
      gatherLines(lines).map((line) => ({ ...line, teamId, author: { kind: 'system' }, credential: 'server' })),
    )
    const more = applySignals ? await applySignals(tx, lines) : []
    return { result: lines.length, events: [...posts.map(postedEvent), ...more] }
  })
  if (count > 0) signals?.afterLines(teamId)
  return count
}

/**
 * More consecutive lines of one kind than this become one post, so that a burst does not push the conversation out of
 * view.
 */
export const MOST_LINES_OF_A_KIND = 8

interface GatheredLines {
  readonly body: string
  /** null = the lines are about several tasks. */
  readonly taskId: string | null
  readonly at: number
}

/** Turns waiting lines into posts. Each line is in exactly one post, in order. */
export function gatherLines(lines: readonly BoardLine[]): GatheredLines[] {
  return sequencesOf(lines).flatMap((sequence) => {
    const groups = sequence.length > MOST_LINES_OF_A_KIND ? splitToFit(sequence) : sequence.map((line) => [line])
    return groups.map(joinLines)
  })
}

/** Consecutive lines with the same action. */
function sequencesOf(lines: readonly BoardLine[]): BoardLine[][] {
  const sequences: BoardLine[][] = []
  for (const line of lines) {
    const current = sequences.at(-1)
    if (current?.[0]?.action === line.action) current.push(line)
    else sequences.push([line])
  }
  return sequences
}

function splitToFit(lines: readonly BoardLine[]): BoardLine[][] {
  const groups: BoardLine[][] = []
  let left = 0
  for (const line of lines) {
    left -= line.text.length + 1
    if (left < 0 || groups.length === 0) {
      groups.push([])
      left = POST_CHARACTERS - line.text.length
    }
    groups.at(-1)!.push(line)
  }
  return groups
}

function joinLines(lines: readonly BoardLine[]): GatheredLines {
  const tasks = new Set(lines.map(({ taskId }) => taskId))
  return {
    body: lines.map(({ text }) => text).join('\n'),
    taskId: tasks.size === 1 ? lines[0]!.taskId : null,
    at: lines.at(-1)!.at,
  }
}
