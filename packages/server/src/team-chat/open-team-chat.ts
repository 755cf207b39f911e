import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Board } from '../board/open-board.ts'
import type { Executor } from '../executor/open-executor.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Teams } from '../registry/teams.ts'
import type { Store } from '../store/open-store.ts'
import { createBoardNarration } from './board/board-narration.ts'
import { createExchanges, type Exchanges } from './exchange/exchanges.ts'
import type { PostChain } from './posts/append-post.ts'
import { createRoomPosts, type RoomPosts } from './posts/room-posts.ts'

interface Shared {
  readonly store: Store
  readonly record: RecordChange
  readonly teams: Pick<Teams, 'get'>
}

/** The rooms of all teams: their posts, and the chain of each run that has a turn. */
export interface Rooms {
  readonly posts: RoomPosts
  readonly chains: Map<string, PostChain>
}

/** Opens the rooms for reading and posting. Nothing runs in them until `openTeamChat`. */
export function openRooms({ store, record, teams }: Shared): Rooms {
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

export interface TeamChat {
  readonly exchanges: Exchanges
  /** Resumes exchanges that an earlier process left, then starts to narrate the board. */
  start(): Promise<void>
  /** Ends every turn; its obligations remain for the next start. */
  close(): Promise<void>
}

/** Drives the exchanges in rooms and posts what happens on the board. */
export function openTeamChat(
  options: Shared & {
    readonly rooms: Rooms
    readonly runtimes: RuntimeRegistry
    readonly executor: Pick<Executor, 'runs' | 'conversations'>
    readonly board: Pick<Board, 'lines'>
    readonly log: Log
    readonly instance: string
  },
): TeamChat {
  const { store, record, log, rooms, board } = options
  const { runs, conversations } = options.executor
  const exchanges = createExchanges({ ...options, runs, slots: conversations.slots, chains: rooms.chains })
  const narration = createBoardNarration({ store, record, lines: board.lines, log, signals: exchanges.signals })
  return {
    exchanges,
    async start() {
      await exchanges.start()
      await narration.start()
    },
    async close() {
      await exchanges.close()
      await narration.close()
    },
  }
}
