import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Board } from '../board/open-board.ts'
import type { Executor } from '../executor/open-executor.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Teams } from '../registry/teams.ts'
import type { Store } from '../store/open-store.ts'
import { createBoardNarration } from './board/board-narration.ts'
import { createExchanges } from './exchange/exchanges.ts'
import type { PostChain } from './posts/append-post.ts'
import { createRoomPosts } from './posts/room-posts.ts'

interface Shared {
  readonly store: Store
  readonly record: RecordChange
  readonly teams: Pick<Teams, 'get'>
}

export type Rooms = ReturnType<typeof openRooms>

/**
 * The rooms of all teams, for reading and posting: their posts, and the chain of each run that has a turn. No turn runs
 * in them until `openTeamChat` is called.
 */
export function openRooms({ store, record, teams }: Shared) {
  const chains = new Map<string, PostChain>()
  return {
    chains,
    posts: createRoomPosts({
      store,
      record,
      leaderOf: async (teamId) => (await teams.get(teamId)).leaderId,
      chainOf: (runId) => chains.get(runId) ?? null,
    }),
  }
}

export type TeamChat = ReturnType<typeof openTeamChat>

/** Drives the exchanges in rooms and posts the changes of the board. */
export function openTeamChat(
  options: Shared & {
    readonly rooms: Rooms
    readonly runtimes: RuntimeRegistry
    readonly executor: Pick<Executor, 'runs' | 'conversations'>
    readonly board: Pick<Board, 'lines'>
    readonly log: Log
    readonly instance: string
  },
) {
  const { store, record, log, rooms, board } = options
  const { runs, conversations } = options.executor
  const exchanges = createExchanges({ ...options, runs, slots: conversations.slots, chains: rooms.chains })
  const narration = createBoardNarration({ store, record, lines: board.lines, log, signals: exchanges.signals })
  return {
    exchanges,
    /** Resumes exchanges that an earlier process left, then starts to narrate the board. */
    async start() {
      await exchanges.start()
      await narration.start()
    },
    /** Ends every turn; its obligations remain for the next start. */
    async close() {
      await exchanges.close()
      await narration.close()
    },
  }
}
