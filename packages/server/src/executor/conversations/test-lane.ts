import { DEFAULT_QUEUE_SETTINGS, type MessageBatch, type MessageMode, type QueueSettings } from '@clawboo/core/executor'
import type { RunEnding } from '../run/run-book.ts'
import { ConversationLane } from './conversation-lane.ts'
import type { LaneDriver } from './lane-driver.ts'

/** A lane that a test drives. `log` lists every action of the lane; the test ends the runs. */
export interface TestLane {
  readonly lane: ConversationLane
  readonly log: string[]
  /** The outcomes of the next starts; the last one repeats. */
  starts: ('runs' | 'rejects' | 'hangs')[]
  canSteer: boolean
  say(id: string, mode?: MessageMode): Promise<string>
  /** Reports that the run has stored a prompt. */
  deliver(promptId: string): Promise<void>
  /** Ends the run. Resolves when the lane has handled the end. */
  end(end?: Partial<RunEnding>): Promise<void>
  /** Completes a start that hangs. */
  completeStart(): void
}

/** The agent that several lanes share. */
export interface SharedAgent {
  holder: ConversationLane | null
  readonly lanes: ConversationLane[]
}

const COMPLETED: RunEnding = {
  outcome: 'completed',
  reason: null,
  detail: null,
  text: '',
  undelivered: [],
  limit: null,
  isFinal: false,
  resume: null,
}

export function testLane(
  settings: Partial<QueueSettings> = {},
  agent: SharedAgent = { holder: null, lanes: [] },
): TestLane {
  const log: string[] = []
  const whole = { ...DEFAULT_QUEUE_SETTINGS, debounceMs: 0, ...settings }
  let finish: (end: RunEnding) => void = () => {}
  let completeStart = () => {}
  let runs = 0
  const note = (what: string, ids: readonly string[]) => {
    if (ids.length > 0) log.push(`${what} ${ids.join(' ')}`)
  }
  const idsOf = ({ messages }: MessageBatch) => messages.map(({ id }) => id)
  const driver: LaneDriver = {
    now: Date.now,
    isFree: () => agent.holder === null || agent.holder === lane,
    reserve() {
      agent.holder = lane
    },
    release() {
      agent.holder = null
      for (const other of agent.lanes) if (other !== lane) other.poke()
    },
    async startRun(batch) {
      const outcome = test.starts.length > 1 ? test.starts.shift() : test.starts[0]
      note('start', idsOf(batch))
      if (outcome === 'rejects') throw new Error('cannot start')
      if (outcome === 'hangs') {
        await new Promise<void>((resolve) => {
          completeStart = resolve
        })
      }
      runs += 1
      let isStopping = false
      const ended = new Promise<RunEnding>((resolve) => {
        finish = resolve
      })
      return {
        id: `run-${runs}`,
        canSteer: test.canSteer,
        ended,
        stop: (reason) => {
          isStopping = true
          log.push(`stop ${reason}`)
        },
        steer: async () => (isStopping ? { accepted: false, reason: 'no_active_run' } : { accepted: true }),
      }
    },
    async closeRun({ id, ended }, returned) {
      log.push(`${id} ${(await ended).outcome} ${returned.join(' ')}`.trim())
    },
    offered: async (id, runId) => note(`offer to ${runId}`, [id]),
    refused: async (id) => note('refused', [id]),
    dropped: async (ids) => note('dropped', ids),
    delivered: async (ids) => note('delivered', ids),
    withdrawn: async (ids, reason) => note(`withdrawn (${reason})`, ids),
    gaveUp: async (batch, reason) => note(`gave up (${reason})`, idsOf(batch)),
  }
  const lane: ConversationLane = new ConversationLane(driver, whole)
  agent.lanes.push(lane)
  const test: TestLane = {
    lane,
    log,
    starts: ['runs'],
    canSteer: true,
    say: (id, mode = 'followup') => lane.accept(stored(id, mode), whole, async () => true),
    deliver: (promptId) => lane.promptDelivered(promptId),
    async end(end = {}) {
      finish({ ...COMPLETED, ...end })
      await lane.withdraw([])
      await lane.withdraw([])
    },
    completeStart: () => completeStart(),
  }
  return test
}

export function stored(id: string, mode: MessageMode = 'followup') {
  return {
    id,
    agentId: 'ada',
    sessionKey: 'main',
    text: id,
    mode,
    model: null,
    sender: 'operator',
    state: 'queued',
    runId: null,
    reason: null,
    attempts: 0,
    createdAt: 1,
    settledAt: null,
    position: 1,
    verdict: null,
    promptId: null,
    notBefore: null,
  } as const
}
