import { truncate } from 'node:fs/promises'
import {
  type Capabilities,
  type DoneEvent,
  type ErrorEvent,
  NO_CAPABILITIES,
  type RunHandle,
  type RuntimeAdapter,
  type RuntimeEventBody,
} from '@clawboo/core/executor'
import { type AgentRun, driveRun } from '../../packages/server/src/integrations/native/loop/agent-run.ts'
import type { LoopModel, LoopTools } from '../../packages/server/src/integrations/native/loop/loop-ports.ts'
import { createRunApprovals } from '../../packages/server/src/integrations/native/loop/run-approvals.ts'
import { createRunEvents, type RunEvents } from '../../packages/server/src/integrations/native/loop/run-events.ts'
import { RunGate } from '../../packages/server/src/integrations/native/loop/run-gate.ts'
import { createTextOutput } from '../../packages/server/src/integrations/native/loop/text-output.ts'
import type { Message, ToolCallContent } from '../../packages/server/src/integrations/native/session/message.ts'
import { openSession, type Session } from '../../packages/server/src/integrations/native/session/session.ts'
import type { HeldSteps } from './held-steps.ts'
import type { Random } from './random.ts'
import { openCallsOf, type RoundNotes } from './round-notes.ts'
import { fileSize } from './transcript-lines.ts'

export const LOOP_RUNTIME = 'chaos-loop'

const CAPABILITIES: Capabilities = {
  ...NO_CAPABILITIES,
  streaming: true,
  mcp: false,
  worktrees: false,
  resume: true,
  steering: true,
  toolApproval: true,
  models: false,
  asksBeforeModelCall: true,
  runtimeClass: 'native',
}

interface OpenSession {
  readonly session: Session
  /** How much of the file has been reported. */
  told: number
}

interface LiveRun {
  readonly run: AgentRun
  readonly controller: AbortController
  readonly agentId: string
  readonly ended: Promise<void>
}

export interface LoopRuntime extends RuntimeAdapter {
  readonly claims: Capabilities
  /** Simulates the death of the process: a pending write is stored completely, partly or not at all. */
  crash(): Promise<void>
}

export interface LoopRuntimeOptions {
  readonly folder: string
  readonly steps: HeldSteps
  readonly random: Random
  readonly notes: RoundNotes
}

/** The real loop over real session files, with a model and tools that continue when the test releases them. */
export function createLoopRuntime(options: LoopRuntimeOptions): LoopRuntime {
  const { folder, steps, random, notes } = options
  const sessions = new Map<string, Promise<OpenSession>>()
  const runs = new Map<string, LiveRun>()

  const open = (sessionKey: string) => {
    const known = sessions.get(sessionKey)
    if (known) return known
    const opening = openWithSize(folder, sessionKey)
    sessions.set(sessionKey, opening)
    return opening
  }
  const find = ({ runId }: RunHandle) => runs.get(runId)

  return {
    id: LOOP_RUNTIME,
    participantKind: 'agent',
    claims: CAPABILITIES,
    capabilities: () => CAPABILITIES,
    health: async () => ({ state: 'ready', detail: null }),
    async start({ agent, sessionKey, prompt }, { runId, guard }) {
      const sound = await steps.run('start', async () => random.below(30) > 0)
      if (!sound) {
        notes.startFailed(prompt.id)
        throw new Error('the runtime could not start')
      }
      const opened = await steps.run('open session', () => open(sessionKey))
      if ([...runs.values()].some((other) => other.agentId === agent.id)) notes.broken('two runs of one agent at once')
      const controller = new AbortController()
      const events = notedEvents(notes, createRunEvents(runId, opened.session.sessionId, Date.now), opened.session)
      notes.runStarted(runId, sessionKey, prompt.id)
      const run = createRun(options, opened, { runId, prompt, guard, events, signal: controller.signal })
      const ended = driveRun(run).finally(() => runs.delete(runId))
      runs.set(runId, { run, controller, agentId: agent.id, ended })
      return { runId, sessionId: opened.session.sessionId }
    },
    events: (handle) => find(handle)!.run.events.queue,
    async abort(handle) {
      const live = find(handle)
      if (!live || live.run.gate.closed) return
      notes.aborted(handle.runId)
      live.controller.abort()
      await live.ended
    },
    async steer(handle, prompt) {
      const outcome = find(handle)?.run.gate.steer(prompt) ?? { accepted: false, reason: 'no_active_run' }
      if (outcome.accepted) notes.steered(handle.runId, prompt.id)
      return outcome
    },
    answerApproval: async (handle, id, answer) => find(handle)?.run.approvals.answer(id, answer) ?? false,
    sessionCodec: { encode: ({ sessionId }) => sessionId, decode: (sessionId) => ({ sessionId }) },
    hasPrompt: (_agent, sessionKey, promptId) =>
      steps.run('look for a prompt', async () => (await open(sessionKey)).session.hasMessage(promptId)),
    async crash() {
      for (const opening of sessions.values()) await crashSession(await opening, random)
    },
  }
}

async function openWithSize(folder: string, sessionKey: string): Promise<OpenSession> {
  const session = await openSession(folder, sessionKey, { cwd: folder, now: Date.now })
  return { session, told: await fileSize(session.file) }
}

async function crashSession({ session, told }: OpenSession, random: Random): Promise<void> {
  await session.close()
  const untold = (await fileSize(session.file)) - told
  if (untold > 0 && random.below(3) > 0) await truncate(session.file, told + random.below(untold + 1))
}

type RunStart = Pick<AgentRun, 'prompt' | 'guard' | 'events' | 'signal'> & { readonly runId: string }

function createRun(options: LoopRuntimeOptions, opened: OpenSession, start: RunStart): AgentRun {
  const { steps } = options
  const { runId, prompt, guard, events, signal } = start
  return {
    prompt,
    gate: new RunGate(),
    events,
    approvals: createRunApprovals({ events, timeoutMs: 60_000 }),
    guard,
    session: {
      hasMessage: (id) => opened.session.hasMessage(id),
      async append(messages) {
        opened.told = await steps.run('append', async () => {
          await opened.session.append(...messages)
          return fileSize(opened.session.file)
        })
      },
      sync: () => steps.run('sync', () => opened.session.sync()),
    },
    context: {
      prepare: async () => ({ kind: 'ready', messages: opened.session.context() }),
      shrink: async () => false,
    },
    model: createModel(options, runId),
    tools: createTools(options),
    text: createTextOutput(events, {}),
    repeats: { observe: () => ({ kind: 'go-on' }) },
    signal,
    now: Date.now,
  }
}

/** Checks the events of the loop against the transcript. */
function notedEvents(notes: RoundNotes, events: RunEvents, session: Session): RunEvents {
  const emit = (event: RuntimeEventBody) => {
    if (event.type === 'status' && event.state === 'prompt-delivered' && !session.hasMessage(event.promptId!))
      notes.broken(`${event.promptId} was reported as delivered but is not in the transcript`)
    events.emit(event)
  }
  return {
    runId: events.runId,
    queue: events.queue,
    get seq() {
      return events.seq
    },
    emit,
    end(event: DoneEvent | ErrorEvent) {
      notes.ended(events.runId, event, (id) => session.hasMessage(id))
      events.end(event)
    },
  }
}

const MOST_ROUNDS = 5

function createModel({ steps, random, notes }: LoopRuntimeOptions, runId: string): LoopModel {
  let calls = 0
  return {
    async *answer(messages: readonly Message[], signal) {
      calls += 1
      notes.modelCalled(runId)
      if (openCallsOf(messages).length > 0) notes.broken('a model was shown a call without its result')
      yield { t: 'attempt', provider: 'chaos', model: 'one' }
      for (let words = random.below(3); words > 0; words -= 1) {
        await steps.hold('model word', random.below(2) === 0 ? signal : undefined)
        yield { t: 'text', delta: 'word ' }
      }
      await steps.hold('model end', random.below(2) === 0 ? signal : undefined)
      if (random.below(40) === 0) return yield { t: 'failed', overflow: false, message: 'the model broke' }
      const count = calls < MOST_ROUNDS ? Math.max(0, random.below(5) - 1) : 0
      const toolCalls = Array.from({ length: count }, () => notes.newCall(random.below(4) === 0 ? 'asks' : 'works'))
      const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, costUsd: null }
      yield {
        t: 'done',
        content: [{ type: 'text', text: 'word' }, ...toolCalls],
        stopReason: count > 0 ? 'toolUse' : 'stop',
        provider: 'chaos',
        model: 'one',
        usage,
        contextWindowTokens: null,
      }
    },
  }
}

function createTools({ steps, random }: LoopRuntimeOptions): LoopTools {
  return {
    async run(call: ToolCallContent, { signal, askApproval }) {
      const question = { tool: call.name, action: 'act', cwd: '/', reason: 'it acts', mayAlwaysAllow: true }
      const answer = call.name === 'asks' ? await askApproval(question) : 'allow-once'
      await steps.hold('tool', random.below(3) > 0 ? signal : undefined)
      return { content: [{ type: 'text', text: answer }], isError: answer === 'deny' }
    },
    startSummary: () => null,
    endSummary: () => null,
  }
}
