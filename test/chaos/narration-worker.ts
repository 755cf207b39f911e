import { writeSync } from 'node:fs'
import { createBoardLines } from '../../packages/server/src/board/board-change.ts'
import { createTasks } from '../../packages/server/src/board/tasks.ts'
import { createLog } from '../../packages/server/src/log.ts'
import { createRecordChange } from '../../packages/server/src/registry/record-change.ts'
import { openDb } from '../../packages/server/src/store/open-db.ts'
import type { StoreOptions } from '../../packages/server/src/store/open-store.ts'
import { createBoardNarration } from '../../packages/server/src/team-chat/board/board-narration.ts'
import { createRoomPosts } from '../../packages/server/src/team-chat/posts/room-posts.ts'
import { openWorker } from './board-worker.ts'
import { readOrder } from './doomed-worker.ts'
import { type Death, mortal } from './mortal-db.ts'
import { createRandom } from './random.ts'

/** The order for one process, as JSON in its first argument. */
export interface NarrationOrder {
  readonly options: StoreOptions
  readonly teamId: string
  readonly instance: string
  readonly seed: number
  /** The statement at which the process kills itself. */
  readonly dieAt: number
}

/** The output of a process, one line each: text that must be in the room in the end. */
export type NarrationSaid = string

const OPERATOR = { kind: 'operator' } as const
const CHANGES = 12

/** Changes the board and posts while the changes are posted to the room, until the process dies or has finished. */
async function main(): Promise<void> {
  const order = readOrder<NarrationOrder>()
  const random = createRandom(order.seed)
  let left = 0
  const die: Death = {
    before: random.below(2) === 0,
    isNext: () => left > 0 && --left === 0,
    now: () => void process.kill(process.pid, 'SIGKILL'),
  }
  const { store, log: events } = await openWorker(order.instance, mortal(await openDb(order.options), die))
  const log = createLog('silent')
  const record = createRecordChange(store, events)
  const lines = createBoardLines(log)
  const tasks = createTasks({ store, record, lines })
  const posts = createRoomPosts({ store, record })
  const narration = createBoardNarration({ store, record, lines, log })
  left = order.dieAt
  await narration.start()
  const run = { teamId: order.teamId, agentId: 'ada', runId: order.instance, taskId: null, credential: 'attached' }
  for (let n = 0; n < CHANGES; n++) {
    const title = `${order.instance} ${n}`
    const { id } = await tasks.create({ teamId: order.teamId, title }, OPERATOR)
    say(`made ${title}`)
    if (random.below(2) === 0) {
      await tasks.comment(id, { body: 'Hm' }, OPERATOR)
      say(`commented ${title}`)
    }
    if (random.below(3) === 0) {
      await posts.byRun(run, { body: `said ${title}`, turnKey: title })
      say(`said ${title}`)
    }
  }
  await narration.settled()
  process.exit(0)
}

function say(line: NarrationSaid): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

if (import.meta.main) await main()
