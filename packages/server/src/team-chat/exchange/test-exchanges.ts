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
import { createGrants } from '../../access/grants.ts'
import { type BoardLines, createBoardLines } from '../../board/board-change.ts'
import { createBoardView } from '../../board/board-view.ts'
import { membersOf } from '../../board/open-board.ts'
import { createRunVerdicts } from '../../board/run-verdicts.ts'
import { createTasks, type Tasks } from '../../board/tasks.ts'
import { type Attention, createAttention } from '../../executor/attention/attention.ts'
import { type Conversations, createConversations } from '../../executor/conversations/conversations.ts'
import { createLimits, type Limits } from '../../executor/limits/limits.ts'
import { openRunService } from '../../executor/run/run-service.ts'
import { createRunStreams } from '../../executor/run/run-streams.ts'
import { createRunTools } from '../../executor/run/run-tools.ts'
import { settleDeadRuns } from '../../executor/run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../../executor/run/test-run-inputs.ts'
import type { TestRecords } from '../../executor/test-records.ts'
import { createMcpServers } from '../../mcp/mcp-servers.ts'
import { createTasksTable } from '../../mcp/tables/tasks-table.ts'
import { createTeamchatTable } from '../../mcp/tables/teamchat-table.ts'
import { createTeams } from '../../registry/teams.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import type { StoredPost } from '../../store/repositories/rooms/posts-repository.ts'
import { type BoardNarration, createBoardNarration } from '../board/board-narration.ts'
import { createRoomPosts, type RoomPosts } from '../posts/room-posts.ts'
import type { ExchangeOptions } from './exchange-services.ts'
import { createExchanges, type Exchanges } from './exchanges.ts'
import type { RoomMessage, SentMessage } from './say-to-room.ts'

/** A turn that the runtime was asked to start. */
export interface StartedTurn {
  readonly agentId: string
  readonly prompt: string
  readonly options: StartOptions
}

/** What an agent does in a turn; `count` is the number of its turns before. */
export type Speak = (turn: StartedTurn & { readonly count: number }) => RuntimeScript | string

const CLAIMS: Partial<Capabilities> = {
  streaming: true,
  resume: true,
  steering: true,
  mcp: true,
  models: false,
  asksBeforeModelCall: true,
  runtimeClass: 'native',
}

export interface SpeakingRuntime {
  readonly adapter: DescribedAdapter
  readonly turns: readonly StartedTurn[]
  readonly modelCalls: number
  release(): void
}

/** The reference runtime, with agents that answer as the test decides. */
export function speakingRuntime(speak: Speak, claims: Partial<Capabilities> = CLAIMS, id = 'memory'): SpeakingRuntime {
  const state = emptyRuntimeState()
  const memory = createMemoryRuntimeAdapter({ claims, state, id })
  const turns: StartedTurn[] = []
  const adapter: DescribedAdapter = {
    ...memory,
    async start(task, options) {
      const turn = { agentId: task.agent.id, prompt: task.prompt.text, options }
      const count = turns.filter(({ agentId }) => agentId === turn.agentId).length
      turns.push(turn)
      const script = speak({ ...turn, count })
      const steps = typeof script === 'string' ? [{ say: script }] : script
      return memory.start({ ...task, prompt: { id: task.prompt.id, text: scriptPrompt(steps) } }, options)
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

/** The part of a server that rooms need. */
export interface RoomServer {
  readonly exchanges: Exchanges
  readonly posts: RoomPosts
  readonly lines: BoardLines
  readonly tasks: Tasks
  readonly narration: BoardNarration
  readonly limits: Limits
  readonly attention: Attention
  readonly conversations: Conversations
  close(): Promise<void>
}

export interface RoomServerOptions extends Partial<Omit<ExchangeOptions, 'runs'>> {
  readonly runtime: SpeakingRuntime
  readonly moreRuntimes?: readonly SpeakingRuntime[]
  readonly booZeroId?: string
  /** The test kills the server instead of closing it. */
  readonly isDoomed?: boolean
}

/** Starts a server like `main.ts`. An earlier server on the same records counts as dead unless its instance differs. */
export async function openRooms(records: TestRecords, options: RoomServerOptions): Promise<RoomServer> {
  const { store, record, log } = records
  const { runtime, moreRuntimes = [], booZeroId = null, instance = 'me', isDoomed = false, ...overrides } = options
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
    store,
    record,
    runtimes,
    log,
    instance,
    attention: createAttention({ store, record, log }),
    limits: createLimits(store, record),
    streams: createRunStreams(),
    tools: createRunTools({ servers, grants, url: 'http://127.0.0.1:1' }),
  }
  await settleDeadRuns(record, instance)
  const runs = openRunService({ ...base, prepareInput: NO_RUN_INPUT })
  const conversations = createConversations({ ...base, runs })
  const exchanges = createExchanges({
    ...base,
    runs,
    teams,
    slots: conversations.slots,
    // A dead server polls no more.
    ...(isDoomed ? { every: () => () => {} } : {}),
    ...overrides,
  })
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
  return { exchanges, posts, lines, tasks, narration, limits, attention, conversations, close }
}

export interface RoomTeam {
  readonly teamId: string
  readonly roomId: `team:${string}`
  /** The first agent leads. */
  readonly ids: readonly string[]
  /** By position: `id(0)` leads. */
  id(at: number): string
  posts(): Promise<StoredPost[]>
  /** The posts of agents as `position: text`. */
  agentPosts(): Promise<string[]>
  /** Sends a message and waits until its exchange has ended. */
  ask(server: RoomServer, body: string, message?: Partial<RoomMessage>): Promise<AskedRoom>
}

export interface AskedRoom extends SentMessage {
  readonly reason: string | null
  readonly turns: number
}

let teamCount = 0

export async function makeRoomTeam({ store }: TestRecords, agents = 2, runtime = 'memory'): Promise<RoomTeam> {
  const n = ++teamCount
  const teamId = `room-${n}`
  const ids = Array.from({ length: agents }, (_, at) => `boo-${n}-${String(at).padStart(2, '0')}`)
  await store.teams.insert({ id: teamId, name: `Team ${n}`, createdAt: 1 })
  for (const [at, id] of ids.entries()) await store.agents.insert(newAgent(id, { teamId, runtime, name: `Boo ${at}` }))
  await store.teams.update(teamId, { leadAgentId: ids[0] ?? null, updatedAt: 1 })
  const roomId = `team:${teamId}` as const
  const posts = () => store.posts.after(roomId, 0, 1000)
  return {
    teamId,
    roomId,
    ids,
    posts,
    id: (at) => ids[at]!,
    async agentPosts() {
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

/** Resolves when the condition is true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}
