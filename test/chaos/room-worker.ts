import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { catalogueOf, createMemoryRuntimeAdapter, type DescribedAdapter, scriptPrompt } from '@clawboo/core/contract'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { createGrants } from '../../packages/server/src/access/grants.ts'
import { createAttention } from '../../packages/server/src/executor/attention/attention.ts'
import { createConversations } from '../../packages/server/src/executor/conversations/conversations.ts'
import { createLimits } from '../../packages/server/src/executor/limits/limits.ts'
import { openRunService } from '../../packages/server/src/executor/run/run-service.ts'
import { createRunStreams } from '../../packages/server/src/executor/run/run-streams.ts'
import { createRunTools } from '../../packages/server/src/executor/run/run-tools.ts'
import { settleDeadRuns } from '../../packages/server/src/executor/run/settle-dead-runs.ts'
import { NO_RUN_INPUT } from '../../packages/server/src/executor/run/test-run-inputs.ts'
import { openEventLog } from '../../packages/server/src/live/event-log.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createMcpServers } from '../../packages/server/src/mcp/mcp-servers.ts'
import { createTeamchatTable } from '../../packages/server/src/mcp/tables/teamchat-table.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { createTeams } from '../../packages/server/src/registry/teams.ts'
import { openDb } from '../../packages/server/src/store/open-db.ts'
import { type Store, type StoreOptions, storeOn } from '../../packages/server/src/store/open-store.ts'
import type { Db } from '../../packages/server/src/store/sql.ts'
import { createExchanges, type Exchanges } from '../../packages/server/src/team-chat/exchange/exchanges.ts'
import { createRoomPosts } from '../../packages/server/src/team-chat/posts/room-posts.ts'
import { readOrder } from './doomed-worker.ts'
import { type Death, mortal } from './mortal-db.ts'
import { createRandom, type Random } from './random.ts'

/** The order for one server process, as JSON in its first argument. */
export interface RoomOrder {
  readonly options: StoreOptions
  readonly teamId: string
  readonly instance: string
  readonly seed: number
  /** The runtime's memory across all processes: a line of JSON for each prompt received. */
  readonly memory: string
  /** The number of messages it sends. */
  readonly messages: number
  /** The point at which the process kills itself, counted from the first message; 0 for never. */
  readonly dieAt: number
}

/** The output of a process, one line for each post that must not be lost from now on. */
export interface RoomSaid {
  readonly asked: string
}

/** A received prompt and the posts in it. */
export interface Remembered {
  readonly agentId: string
  readonly promptId: string
  readonly told: readonly number[]
}

export interface ServerSetting {
  readonly instance: string
  readonly memory: string
  readonly random: Random
  readonly onPoint?: () => void
  readonly leaseMs?: number
}

export interface ChaosRooms {
  readonly store: Store
  readonly exchanges: Exchanges
  close(): Promise<void>
}

/** A server as far as rooms need one, on a database whose process may die. */
export async function openRoomServer(db: Db, setting: ServerSetting): Promise<ChaosRooms> {
  const { instance, onPoint } = setting
  const store = storeOn(db)
  const log = createLog('silent')
  const eventLog = await openEventLog(store)
  const record = createRecordChange(store, eventLog)
  const grants = createGrants(store)
  const posts = createRoomPosts({ store, record, chainOf: (runId) => exchanges.chainOf(runId) })
  const table = createTeamchatTable({ rooms: posts, grants })
  const servers = createMcpServers({ teamchat: async () => table }, grants, log)
  const runtimes = new RuntimeRegistry()
  runtimes.follow(catalogueOf(rememberingRuntime(setting)))
  const attention = createAttention({ store, record, log })
  const limits = createLimits(store, record)
  const streams = createRunStreams()
  const tools = createRunTools({ servers, grants, url: 'http://127.0.0.1:1' })
  const parts = {
    store,
    record,
    runtimes,
    attention,
    limits,
    streams,
    log,
    instance,
    prepareInput: NO_RUN_INPUT,
    tools,
  }
  await settleDeadRuns(record, instance)
  const runs = openRunService(parts)
  const conversations = createConversations({ ...parts, runs })
  const exchanges: Exchanges = createExchanges({
    ...parts,
    runs,
    teams: createTeams(store, record, async () => null),
    slots: conversations.slots,
    pollMs: 50,
    renewMs: 100,
    leaseMs: setting.leaseMs ?? 5_000,
    onStep: () => onPoint?.(),
  })
  await exchanges.start()
  return {
    store,
    exchanges,
    async close() {
      await exchanges.close()
      await conversations.close()
      runs.close()
      await servers.close()
      streams.close()
      attention.close()
      limits.close()
      await eventLog.close()
    },
  }
}

export function readMemory(file: string): Remembered[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Remembered)
}

/**
 * The reference runtime, with a record of its prompts that outlives the process. Each run posts unique text; some post
 * by a tool, mention the other agent, or pass.
 */
function rememberingRuntime({ memory: file, random, onPoint }: ServerSetting): DescribedAdapter {
  const claims = {
    streaming: true,
    resume: true,
    mcp: true,
    asksBeforeModelCall: true,
    runtimeClass: 'native',
  } as const
  const memory = createMemoryRuntimeAdapter({ claims })
  const prompts = new Map<string, Remembered>()
  return {
    ...memory,
    async start(task, options) {
      const { id: promptId, text } = task.prompt
      const told = [...text.matchAll(/^\[Inter-session .* seq=(\d+) /gm)].map(([, seq]) => Number(seq))
      const agentId = task.agent.id
      prompts.set(promptId, { agentId, promptId, told })
      const other = agentId.endsWith('ada') ? agentId.replace(/ada$/, 'bob') : agentId.replace(/bob$/, 'ada')
      const words = `words of ${options.runId}`
      const luck = random.below(4)
      const script = [
        ...(luck === 0
          ? [{ callHostTool: 'team_chat_post', with: { body: `asks ${options.runId}`, to: [other] } }]
          : []),
        { say: luck === 1 ? 'NO_REPLY' : words },
      ]
      return memory.start({ ...task, prompt: { id: promptId, text: scriptPrompt(script) } }, options)
    },
    async *events(run) {
      for await (const event of memory.events(run)) {
        if (event.type === 'status' && event.state === 'prompt-delivered') {
          onPoint?.()
          appendFileSync(file, `${JSON.stringify(prompts.get(event.promptId!))}\n`)
        }
        onPoint?.()
        yield event
      }
    },
    hasPrompt: async (_agent, _sessionKey, promptId) => readMemory(file).some((one) => one.promptId === promptId),
  }
}

async function main(): Promise<void> {
  const order = readOrder<RoomOrder>()
  const random = createRandom(order.seed)
  let left = -1
  const die: Death = {
    before: random.below(2) === 0,
    isNext: () => left > 0 && --left === 0,
    now: () => void process.kill(process.pid, 'SIGKILL'),
  }
  const db = await openDb(order.options)
  const onPoint = () => {
    if (die.isNext()) die.now()
  }
  const { exchanges, store, close } = await openRoomServer(mortal(db, die), { ...order, random, onPoint })
  left = order.dieAt
  for (let n = 0; n < order.messages; n++) {
    const body = `message ${order.instance} ${n}`
    const to = random.below(2) === 0 ? [`${order.teamId}-${random.below(2) === 0 ? 'ada' : 'bob'}`] : []
    const mode = random.below(3) === 0 ? ('steer' as const) : ('queue' as const)
    await exchanges.say(order.teamId, { kind: 'operator' }, { body, to, mode })
    writeSync(1, `${JSON.stringify({ asked: body } satisfies RoomSaid)}\n`)
  }
  while ((await store.exchanges.open(`team:${order.teamId}`)).length > 0) await sleep(20)
  await close()
  process.exit(0)
}

if (import.meta.main) await main()
