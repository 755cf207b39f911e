import {
  catalogueOf,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  emptyRuntimeState,
  type RuntimeScript,
  scriptPrompt,
} from '@clawboo/core/contract'
import { type Capabilities, RuntimeRegistry, type StartOptions } from '@clawboo/core/executor'
import { onTestFinished } from 'vitest'
import { createGrants } from '../access/grants.ts'
import { type BoardLines, createBoardLines } from '../board/board-lines.ts'
import { createBoardView } from '../board/board-view.ts'
import { createRunVerdicts } from '../board/run-verdicts.ts'
import { createTasks, type Tasks } from '../board/tasks.ts'
import { membersOf } from '../board/team-members.ts'
import { type Attention, createAttention } from '../executor/attention/attention.ts'
import { type Conversations, createConversations } from '../executor/conversations/conversations.ts'
import { createLimits, type Limits } from '../executor/limits/limits.ts'
import { openRunService } from '../executor/run/run-service.ts'
import { createRunStreams } from '../executor/run/run-streams.ts'
import { createRunTools } from '../executor/run/run-tools.ts'
import { settleDeadRuns } from '../executor/run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../executor/run/test-run-inputs.ts'
import type { TestRecords } from '../executor/test-records.ts'
import { createMcpServers } from '../mcp/mcp-servers.ts'
import { createTasksTable } from '../mcp/tables/tasks-table.ts'
import { createTeamchatTable } from '../mcp/tables/teamchat-table.ts'
import { createTeams } from '../registry/teams.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import type { StoredPost } from '../store/repositories/rooms/posts-repository.ts'
import { type BoardNarration, createBoardNarration } from './board-narration.ts'
import type { ExchangeParts } from './exchange-parts.ts'
import { createExchanges, type Exchanges } from './exchanges.ts'
import { createRoomPosts, type RoomPosts } from './room-posts.ts'
import type { RoomMessage, SentMessage } from './say-to-room.ts'

export interface TakenTurn {
  readonly agentId: string
  readonly prompt: string
  readonly options: StartOptions
}

/** What an agent does in a turn; `count` is how many it took before. */
export type Speak = (turn: TakenTurn & { readonly count: number }) => RuntimeScript | string

const CLAIMS: Partial<Capabilities> = {
  ...{ streaming: true, resume: true, steering: true, mcp: true, models: false },
  asksBeforeModelCall: true,
  runtimeClass: 'native',
}

export interface SpeakingRuntime {
  readonly adapter: DescribedAdapter
  readonly turns: readonly TakenTurn[]
  readonly modelCalls: number
  release(): void
}

/** The reference runtime with agents that say what a test wants. */
export function speakingRuntime(speak: Speak, claims: Partial<Capabilities> = CLAIMS, id = 'memory'): SpeakingRuntime {
  const state = emptyRuntimeState()
  const memory = createMemoryRuntimeAdapter({ claims, state, id })
  const turns: TakenTurn[] = []
  const adapter: DescribedAdapter = {
    ...memory,
    async start(task, options) {
      const turn = { agentId: task.agent.id, prompt: task.prompt.text, options }
      const count = turns.filter(({ agentId }) => agentId === turn.agentId).length
      turns.push(turn)
      const script = speak({ ...turn, count })
      const words = typeof script === 'string' ? [{ say: script }] : script
      return memory.start({ ...task, prompt: { id: task.prompt.id, text: scriptPrompt(words) } }, options)
    },
  }
  return {
    adapter,
    turns,
    get modelCalls() {
      return state.modelCalls
    },
    release: () => state.release.resolve(),
  }
}

/** One server, as far as rooms need one. */
export interface RoomServer {
  readonly exchanges: Exchanges
  readonly posts: RoomPosts
  readonly lines: BoardLines
  readonly tasks: Tasks
  readonly narration: BoardNarration
  readonly limits: Limits
  readonly attention: Attention
  readonly conversations: Conversations
  readonly parts: ExchangeParts
  close(): Promise<void>
}

export interface RoomServerOptions extends Partial<Omit<ExchangeParts, 'runs'>> {
  readonly runtime: SpeakingRuntime
  readonly moreRuntimes?: readonly SpeakingRuntime[]
  readonly booZeroId?: string
  /** It will be dead before it could be closed. */
  readonly isDoomed?: boolean
}

/** Starts a server as `main.ts` does. The one before it on the same records is dead, unless it has another instance. */
export async function openRooms(records: TestRecords, options: RoomServerOptions): Promise<RoomServer> {
  const { store, record, log } = records
  const { runtime, moreRuntimes = [], booZeroId = null, instance = 'me', isDoomed = false, ...more } = options
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(...[runtime, ...moreRuntimes].map(({ adapter }) => adapter)))
  const lines = createBoardLines(log)
  const tasks = createTasks({ store, record, lines })
  const grants = createGrants(store)
  const teams = createTeams(store, record, async () => booZeroId)
  const leaderOf = async (teamId: string) => (await teams.get(teamId)).leaderId
  const posts = createRoomPosts({ store, record, leaderOf, chainOf: (runId) => exchanges.chainOf(runId) })
  const members = membersOf(store)
  const servers = createMcpServers(
    {
      tasks: async () =>
        createTasksTable({ tasks, view: createBoardView(store), members, verdicts: createRunVerdicts() }),
      teamchat: async () => createTeamchatTable({ rooms: posts, grants }),
    },
    grants,
    log,
  )
  const base = {
    ...{ store, record, runtimes, log, instance },
    attention: createAttention({ store, record, log }),
    limits: createLimits(store, record),
    streams: createRunStreams(),
    inputs: NO_RUN_INPUT,
    tools: createRunTools({ servers, grants, url: 'http://127.0.0.1:1' }),
  }
  await settleDeadRuns(record, instance)
  const runs = openRunService(base)
  const conversations = createConversations({ ...base, runs })
  const parts: ExchangeParts = {
    ...base,
    runs,
    teams,
    slots: conversations.slots,
    // A dead one takes up nothing any more.
    ...(isDoomed ? { every: () => () => {} } : {}),
    ...more,
  }
  const exchanges = createExchanges(parts)
  const narration = createBoardNarration({ store, record, lines, log, signals: exchanges.signals })
  await conversations.recover()
  await exchanges.start()
  await narration.start()
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await exchanges.close()
    await narration.close()
    await conversations.close()
    runs.close()
    await servers.close()
    base.streams.close()
    base.attention.close()
    base.limits.close()
  }
  if (!isDoomed) onTestFinished(close)
  const { attention, limits } = base
  return { exchanges, posts, lines, tasks, narration, limits, attention, conversations, parts, close }
}

export interface RoomTeam {
  readonly teamId: string
  readonly roomId: `team:${string}`
  /** The first one leads. */
  readonly ids: readonly string[]
  /** By place: `id(0)` leads. */
  id(at: number): string
  posts(): Promise<StoredPost[]>
  /** The posts of agents as `place: words`. */
  heard(): Promise<string[]>
  /** Says something and waits until what it set going has ended. */
  ask(server: RoomServer, body: string, message?: Partial<RoomMessage>): Promise<AskedRoom>
}

export interface AskedRoom extends SentMessage {
  readonly reason: string | null
  readonly turns: number
}

let made = 0

export async function makeRoomTeam({ store }: TestRecords, agents = 2, runtime = 'memory'): Promise<RoomTeam> {
  const n = ++made
  const teamId = `room-${n}`
  const ids = Array.from({ length: agents }, (_, at) => `boo-${n}-${String(at).padStart(2, '0')}`)
  await store.teams.insert({ id: teamId, name: `Team ${n}`, createdAt: 1 })
  for (const [at, id] of ids.entries()) await store.agents.insert(newAgent(id, { teamId, runtime, name: `Boo ${at}` }))
  await store.teams.update(teamId, { leadAgentId: ids[0] ?? null, updatedAt: 1 })
  const roomId = `team:${teamId}` as const
  const posts = () => store.posts.after(roomId, 0, 1000)
  return {
    ...{ teamId, roomId, ids, posts },
    id: (at) => ids[at]!,
    async heard() {
      return (await posts()).flatMap(({ author, body }) =>
        author.kind === 'agent' ? [`${ids.indexOf(author.id)}: ${body}`] : [],
      )
    },
    async ask({ exchanges }, body, message = {}) {
      const sent = await exchanges.say(teamId, { kind: 'operator' }, { body, ...message })
      const { reason, turns } = await exchanges.whenEnded(sent.exchange.id)
      return { ...sent, reason, turns }
    },
  }
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}
