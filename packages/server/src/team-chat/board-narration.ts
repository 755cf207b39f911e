import type { LiveEvent } from '@clawboo/api/live-event'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { BoardLines } from '../board/board-lines.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import type { BoardLine } from '../store/repositories/board/board-lines-repository.ts'
import { appendPosts, posted, roomLock } from './append-post.ts'
import { gatherLines } from './gather-lines.ts'

/**
 * Posts what happened on the boards to the teams' rooms. A line is left by the change of the board itself and is taken
 * in the transaction that posts it: whenever a server dies, each is posted once, in the order of the changes.
 */
export interface BoardNarration {
  /** Resolves when what was left from before has been posted, or its posting put off. */
  start(): Promise<void>
  /** Resolves when everything that waits here has been posted. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface NarrationDependencies {
  readonly store: Store
  readonly record: RecordChange
  readonly lines: Pick<BoardLines, 'onLine'>
  readonly log: Log
  readonly signals?: LineSignals
}

/** What follows from lines beyond their being told. */
export interface LineSignals {
  /** Reads what it needs before a transaction; the answer takes the lines within it, in order, and gives what to tell. */
  prepare(teamId: string): Promise<(tx: Repositories, lines: readonly BoardLine[]) => Promise<LiveEvent[]>>
  /** Lines of the team were told. */
  told(teamId: string): void
}

const PAGE = 50
const RETRY_MS = 1_000
/** Another server may have died behind a change of its own. */
const POLL_MS = 2_000

export function createBoardNarration(parts: NarrationDependencies): BoardNarration {
  const { store, lines, log } = parts
  const due = new Set<string>()
  let isClosed = true
  let working: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  let stopListening = () => {}

  const work = async () => {
    for (const teamId of due) {
      due.delete(teamId)
      try {
        while (!isClosed && (await narrate(parts, teamId)) === PAGE);
      } catch (error) {
        due.add(teamId)
        throw error
      }
    }
  }
  /** One at a time. What fails is tried again: the lines are still there. */
  const poke = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    working ??= work()
      .catch((error: unknown) => {
        log.error('lines of the board could not be posted', { error })
        retry ??= setTimeout(() => {
          retry = undefined
          void poke()
        }, RETRY_MS).unref()
      })
      .finally(() => {
        working = null
        if (due.size > 0 && retry === undefined) void poke()
      })
    return working
  }
  const findAll = async () => {
    for (const teamId of await store.boardLines.teams()) due.add(teamId)
    await poke()
  }

  return {
    async start() {
      isClosed = false
      stopListening = lines.onLine(({ teamId }) => {
        due.add(teamId)
        void poke()
      })
      const notRead = (error: unknown) => log.error('lines of the board could not be looked for', { error })
      if (store.db.engine === 'postgres') poll = setInterval(() => void findAll().catch(notRead), POLL_MS).unref()
      await findAll()
    },
    async settled() {
      while (!isClosed && (working || due.size > 0)) await poke()
    },
    async close() {
      stopListening()
      clearInterval(poll)
      clearTimeout(retry)
      isClosed = true
      await working
    },
  }
}

/** Resolves to how many lines it took. Those of a team that is gone have no room to go to. */
async function narrate({ record, signals }: NarrationDependencies, teamId: string): Promise<number> {
  const follow = await signals?.prepare(teamId)
  const count = await record<number>({ action: null, lock: roomLock(teamId) }, async (tx) => {
    const taken = await tx.boardLines.take(teamId, PAGE)
    const last = taken.at(-1)
    const room = last && (await tx.rooms.ensure({ id: roomIdOf(teamId), teamId, at: last.at }))
    if (!room) return { result: taken.length, events: [] }
    const posts = await appendPosts(
      tx,
      teamId,
      gatherLines(taken).map((line) => ({ ...line, teamId, author: { kind: 'system' }, credential: 'server' })),
    )
    const more = follow ? await follow(tx, taken) : []
    return { result: taken.length, events: [...posts.map(posted), ...more] }
  })
  if (count > 0) signals?.told(teamId)
  return count
}
