import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MessageMode, type MessageRecord, NO_CONVERSATION_SETTINGS } from '@clawboo/core/executor'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { useRecords } from '../../packages/server/src/executor/test-records.ts'
import { newAgent } from '../../packages/server/src/store/contract/agents-contract.ts'
import { createSqliteDatabase } from '../../packages/server/src/store/test-stores.ts'
import { isSoak, testSeed } from '../seed.ts'
import { type ChaosHost, openChaosHost } from './chaos-host.ts'
import { LOOP_RUNTIME } from './loop-runtime.ts'
import { createRandom, type Random } from './random.ts'
import { expectRoundSound } from './round-checks.ts'
import { RoundNotes } from './round-notes.ts'

const ROUNDS = Number(process.env.CLAWBOO_TEST_ROUNDS ?? 0) || (isSoak ? 10_000 : 50)
const MODES: readonly MessageMode[] = ['steer', 'steer', 'steer', 'followup', 'followup', 'collect', 'interrupt']
const MOST_STEPS = 3_000

const records = useRecords(createSqliteDatabase)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawboo-chaos-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test(
  `[CV1] ${ROUNDS} interleavings of messages, stops, tool and stream ends, restarts and crashes lose nothing, deliver nothing twice and leave nothing open`,
  async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
    try {
      for (let round = 0; round < ROUNDS; round++) await playRound(round, (testSeed + round) >>> 0)
    } finally {
      vi.useRealTimers()
    }
  },
  isSoak ? 7_200_000 : 120_000,
)

interface Round {
  readonly agentId: string
  readonly sessionKeys: readonly string[]
  readonly random: Random
  readonly notes: RoundNotes
  readonly open: () => ChaosHost
  host: ChaosHost
  /** Requests that have not been answered. */
  readonly asked: Set<Promise<unknown>>
}

async function playRound(number: number, seed: number): Promise<void> {
  const round = await openRound(number, seed)
  const { notes } = round
  try {
    const { below } = round.random
    for (let moves = 15 + below(60); moves > 0 && !notes.problem; moves -= 1) await move(round)
    await bringToRest(round)
    await close(round)
    if (notes.problem) throw new Error(notes.problem)
    await expectRoundSound({ ...round, folder, store: records()[0]!.store })
  } catch (error) {
    const again = `CLAWBOO_TEST_SEED=${seed} CLAWBOO_TEST_ROUNDS=1`
    throw new Error(`Round ${number} failed; repeat it with ${again}.\n${notes.trace.join('\n')}`, { cause: error })
  } finally {
    vi.clearAllTimers()
  }
}

async function openRound(number: number, seed: number): Promise<Round> {
  const random = createRandom(seed)
  const notes = new RoundNotes()
  const agentId = `agent-${number}`
  const sessionKeys = random.below(3) === 0 ? [`a-${number}`, `b-${number}`] : [`a-${number}`]
  const { store } = records()[0]!
  await store.agents.insert(newAgent(agentId, { runtime: LOOP_RUNTIME }))
  const drop = (['summarize', 'old', 'new'] as const)[random.below(3)]!
  const cap = random.below(3) === 0 ? 2 : 50
  for (const key of sessionKeys) {
    const settings = { ...NO_CONVERSATION_SETTINGS, debounceMs: random.below(2) * 20, cap, drop }
    await store.settings.set(`agent:${agentId}:conversation:${key}`, settings)
  }
  const holdPercent = [0, 5, 25, 60][random.below(4)]!
  const open = () =>
    openChaosHost({ records: records()[0]!, folder, instance: `server-${number}`, random, notes, holdPercent })
  return { agentId, sessionKeys, random, notes, open, host: open(), asked: new Set() }
}

/** Makes one random move: a person acts, time passes, a step continues, or the server dies. */
async function move(round: Round): Promise<void> {
  const { random, notes } = round
  // Sometimes timers fire before the event loop has processed other events.
  if (random.below(4) === 0) for (let ticks = 0; ticks < 60; ticks++) await null
  else await round.host.steps.settle()
  const { held } = round.host.steps
  const what = random.below(100)
  if (what < 50 && held.length > 0) notes.say(`  ${round.host.steps.letGo(random.below(held.length))}`)
  else if (what < 62) vi.advanceTimersByTime(random.below(3))
  else if (what < 63) vi.advanceTimersByTime(1_000)
  else if (what < 87) send(round)
  else if (what < 91) stop(round)
  else if (what < 94) withdraw(round)
  else if (what < 96) await answerApprovals(round)
  else if (what < 99) await crash(round)
  else await restart(round)
}

function ask(round: Round, work: Promise<unknown>): void {
  const settled = work.finally(() => round.asked.delete(settled))
  round.asked.add(settled)
}

function send(round: Round): void {
  const { host, random, notes } = round
  if (!host.isReady) return
  const unsure = [...notes.messages.values()].filter(({ answer }) => answer === 'unknown')
  const again = unsure.length > 0 && random.below(2) === 0 ? unsure[random.below(unsure.length)] : undefined
  const id = again?.id ?? `m${notes.messages.size + 1}`
  const sessionKey = again?.sessionKey ?? round.sessionKeys[random.below(round.sessionKeys.length)]!
  const message = again ?? { id, sessionKey, answer: 'unknown' as const, sends: 0, refusals: 0, withdrawn: false }
  notes.messages.set(id, message)
  message.sends += 1
  const mode = MODES[random.below(MODES.length)]!
  notes.say(`${id} is sent to ${sessionKey} (${mode})${again ? ', again' : ''}`)
  const input = { agentId: round.agentId, id: `${round.agentId}-${id}`, text: `<${id}>`, sessionKey, mode }
  ask(
    round,
    host.conversations.send(input).then(
      ({ verdict }) => {
        message.answer = 'accepted'
        notes.say(`${id} is accepted: ${verdict}`)
      },
      (error: { code?: string }) => {
        if (error.code === 'queue_full') {
          message.refusals += 1
          if (message.answer === 'unknown') message.answer = 'refused'
        } else if (error.code !== 'server_stopping') notes.broken(`sending ${id} failed: ${String(error)}`)
        notes.say(`${id} is refused: ${error.code}`)
      },
    ),
  )
}

function stop(round: Round): void {
  const { agentId, sessionKeys, random, host, notes } = round
  const sessionKey = sessionKeys[random.below(sessionKeys.length)]!
  const clearQueue = random.below(3) === 0
  notes.say(`a person stops ${sessionKey}${clearQueue ? ' and clears its queue' : ''}`)
  const live = notes.liveRun(sessionKey)
  const stopping = host.conversations.stop(agentId, { sessionKey, clearQueue }).then(({ stopped }) => {
    if (stopped === null && live !== null && notes.liveRun(sessionKey) === live) notes.broken('a stop missed the run')
  })
  ask(round, stopping)
}

function withdraw(round: Round): void {
  const { host, random, notes } = round
  const accepted = [...notes.messages.values()].filter(({ answer }) => answer === 'accepted')
  const message = accepted[random.below(accepted.length || 1)]
  if (!message) return
  const taken = host.conversations.withdraw(round.agentId, `${round.agentId}-${message.id}`)
  ask(
    round,
    taken.then(
      (row: MessageRecord) => {
        message.withdrawn = true
        notes.say(`${message.id} is withdrawn: ${row.state}`)
      },
      (error: { code?: string }) => {
        if (error.code !== 'message_delivered') notes.broken(`withdrawing ${message.id} failed: ${String(error)}`)
      },
    ),
  )
}

async function answerApprovals(round: Round): Promise<void> {
  const open = await records()[0]!.store.attention.list({ state: 'open', limit: 50 })
  for (const item of open.filter(({ kind, agentId }) => kind === 'approval' && agentId === round.agentId)) {
    const answer = round.random.below(2) === 0 ? 'deny' : 'allow-once'
    ask(
      round,
      // The run may have ended, or the server may die before it responds.
      round.host.attention.answer(item.id, answer).catch(() => {}),
    )
  }
}

async function crash(round: Round): Promise<void> {
  round.notes.say(`the server dies; it was at: ${round.host.steps.held.join(', ') || 'nothing'}`)
  await round.host.crash()
  round.notes.crashed()
  vi.clearAllTimers()
  round.asked.clear()
  round.host = round.open()
}

async function restart(round: Round): Promise<void> {
  await close(round)
  round.host = round.open()
}

async function close(round: Round): Promise<void> {
  const { host, notes } = round
  // A server handles a stop signal only once it has recovered; before that, a signal is a crash.
  for (let step = 0; !host.isReady; step++) {
    if (step > MOST_STEPS) return notes.broken('the server does not finish starting')
    await goOn(round)
  }
  notes.say('the server stops')
  let closed = false
  void host.conversations.close().then(() => {
    closed = true
  })
  for (let step = 0; !closed || round.asked.size > 0; step++) {
    if (step > MOST_STEPS) return notes.broken('the server does not finish stopping')
    await goOn(round)
  }
  await host.leave()
  vi.clearAllTimers()
}

/** Releases steps until the conversation is idle. */
async function bringToRest(round: Round): Promise<void> {
  const { store } = records()[0]!
  const { notes, host, agentId } = round
  for (let step = 0; !notes.problem; step++) {
    if (step > MOST_STEPS) return notes.broken(`it does not come to rest; it is at: ${host.steps.held.join(', ')}`)
    await goOn(round)
    // Otherwise much time would pass in the middle of a write.
    await host.steps.settle()
    if (host.steps.held.length > 0 || round.asked.size > 0 || !host.isReady) continue
    const running = await store.runs.list({ agentId, state: 'running', limit: 5 })
    const rows = await store.messages.list(agentId, { limit: 1_000 })
    if (running.length === 0 && !rows.some(({ state }) => state === 'queued' || state === 'delivering')) return
    await answerApprovals(round)
    await host.steps.settle()
    if (host.steps.held.length === 0) vi.advanceTimersByTime(step % 10 === 9 ? 30_000 : 25)
  }
}

async function goOn({ host, random }: Round): Promise<void> {
  await host.steps.settle()
  const { held } = host.steps
  if (held.length > 0) host.steps.letGo(random.below(held.length))
  else vi.advanceTimersByTime(10)
}
