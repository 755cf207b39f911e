import { randomUUID } from 'node:crypto'
import type { LiveEvent } from '@clawboo/api/live-event'
import {
  type ApprovalAnswer,
  type AttentionItem,
  type FolderRead,
  type LazyRuntime,
  type Prompt,
  type RunRecord,
  trippedBudget,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import type { Attention } from '../attention/attention.ts'
import type { Limits } from '../limits/limits.ts'
import { type DrainingRun, drainRun, type RunPlan } from './drain-run.ts'
import type { PrepareRunInput } from './prepare-run-input.ts'
import { createRunBook, endRun, type RunEnding, reportLimit, setStatus } from './run-book.ts'
import { agentBudgets, readRunBounds } from './run-bounds.ts'
import type { RunStream, RunStreams } from './run-streams.ts'
import type { OpenedTools, RunTools } from './run-tools.ts'

export type RunService = ReturnType<typeof openRunService>

interface RunRequest {
  /** The id of the run, when the trigger needs it before the run exists. */
  readonly runId?: string
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly sessionKey: string
  readonly trigger: RunRecord['trigger']
  /** The team whose board and room the run acts in, and which pays for the run. */
  readonly teamId: string | null
  readonly taskId?: string
  readonly folder?: string
  readonly folderReads?: readonly FolderRead[]
  /** A model for this run only; otherwise the conversation's model applies. */
  readonly model?: string | null
  prompt(run: { readonly toolNames: readonly string[] }): Prompt
  /** Stores the trigger's own changes in the transaction that inserts the run. Return null to refuse the run. */
  onOpen?(tx: Repositories, run: { readonly id: string; readonly at: number }): Promise<readonly LiveEvent[] | null>
  /** The lock that `onOpen` requires. */
  readonly lock?: string
  /** Called when the runtime has stored a prompt in its own record. */
  onDelivered?(promptId: string): Promise<void>
  /** Called before each step. A crash test stops the server here. */
  onStep?(step: RunStep): void
}

export type RunStep = 'open-tools' | 'write-run' | 'start' | 'end-run'

export interface OpenRun extends DrainingRun {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly canSteer: boolean
  /**
   * Call this once, after `ended` has resolved. Revokes the run's credential, stores the end and the changes of `also`
   * in one transaction, then reports a limit that ended the run.
   */
  close<T>(closing: RunClosing<T>): Promise<T>
}

interface RunClosing<T> {
  readonly lock?: string
  /** `run` is null when another server settled the run first. */
  also(tx: Repositories, run: RunRecord | null, at: number): Promise<{ result: T; events: readonly LiveEvent[] }>
}

interface RunServiceOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly attention: Attention
  readonly limits: Limits
  readonly streams: RunStreams
  readonly log: Log
  /** Identifies this server across restarts. */
  readonly instance: string
  /** The host's tools for runs; without them a run has only the runtime's own tools. */
  readonly tools?: RunTools
  readonly prepareInput: PrepareRunInput
  readonly now?: () => number
}

/** A run belongs to its server for this long after the last renewal. After that, any server may settle it. */
const RUN_LEASE_MS = 60_000
const RUN_RENEW_MS = 20_000

type Services = RunServiceOptions & { readonly now: () => number }
type OpenServices = Services & { readonly unstored: UnstoredEnds }

/**
 * Opens, drains and closes every run. A trigger (a message, a task, a turn of a room) supplies the prompt and handles
 * the end; everything else is the same for all triggers.
 */
export function openRunService(options: RunServiceOptions) {
  const services: Services = { ...options, now: options.now ?? Date.now }
  const { store, attention, limits, instance, log } = services
  const open = new Map<string, OpenRun>()
  const unstored = createUnstoredEnds(services)
  const renewal = setInterval(() => {
    if (open.size > 0)
      store.runs
        .renewLeases({ instance, leaseMs: RUN_LEASE_MS })
        .catch((error: unknown) => log.warn('the leases of runs were not renewed', { error }))
  }, RUN_RENEW_MS).unref()
  const answer = async ({ kind, runId, subjectId }: AttentionItem, response: ApprovalAnswer) => {
    if (kind === 'approval' && runId && subjectId) await open.get(runId)?.answerApproval(subjectId, response)
  }
  const stopAnswers = attention.onAnswer((item) => answer(item, approvalAnswer(item)))
  const stopExpiries = attention.onExpire((item) => answer(item, 'deny'))

  return {
    /** Starts a run. Resolves to null when `onOpen` refused it; rejects when nothing was started. */
    async open(request: RunRequest) {
      const run = await startRun({ ...services, unstored }, request, (ended) => open.delete(ended))
      if (run) open.set(run.id, run)
      return run
    },
    /** The open run with this id on this server. */
    find: (runId: string) => open.get(runId),
    /** The open run of this conversation on this server. */
    inConversation: (agentId: string, sessionKey: string) =>
      [...open.values()].find((run) => run.agentId === agentId && run.sessionKey === sessionKey),
    /** Whether this server is running the agent now. */
    isRunning: (agentId: string) => [...open.values()].some((run) => run.agentId === agentId),
    /** Returns whether today's budget of the agent, the team or the server is spent. */
    async isBudgetSpent(agent: AgentRecord, teamId: string | null) {
      const [{ daily }, spent] = await Promise.all([limits.read(), limits.spentToday(agent.id, teamId)])
      return trippedBudget(agentBudgets(agent, daily), spent) !== null
    },
    /** Stops renewing leases and passing on answers. Stop the runs first. */
    close() {
      clearInterval(renewal)
      unstored.close()
      stopAnswers()
      stopExpiries()
    },
  }
}

async function startRun(
  services: OpenServices,
  request: RunRequest,
  onClosed: (runId: string) => void,
): Promise<OpenRun | null> {
  const { agent, runtime, sessionKey, teamId, onStep } = request
  const runId = request.runId ?? randomUUID()
  const bounds = await readRunBounds(services, agent, sessionKey)
  onStep?.('open-tools')
  const binding = { runId, agentId: agent.id, teamId, taskId: request.taskId ?? null }
  const tools = (await services.tools?.open(binding, runtime.descriptor.claims)) ?? null
  try {
    const plan: RunPlan = {
      ...bounds,
      runId,
      agent,
      runtime,
      prepareInput: services.prepareInput,
      sessionKey,
      model: request.model ?? bounds.model,
      prompt: request.prompt({ toolNames: tools?.hostTools.tools.map(({ name }) => name) ?? [] }),
      ...(request.folder === undefined ? {} : { folder: request.folder }),
      ...(request.folderReads ? { folderReads: request.folderReads } : {}),
      ...(tools ? { hostTools: tools.hostTools } : {}),
    }
    onStep?.('write-run')
    if (!(await storeStart(services, request, plan))) {
      await revoke(services, tools)
      return null
    }
    onStep?.('start')
    return drainOpenRun(services, request, plan, tools, onClosed)
  } catch (error) {
    await revoke(services, tools)
    throw error
  }
}

/** Stores the run's row together with the trigger's own changes. False when the trigger refused. */
function storeStart({ record, instance, now }: Services, request: RunRequest, plan: RunPlan): Promise<boolean> {
  const { agent, teamId, trigger, sessionKey, lock } = request
  return record({ action: null, ...(lock === undefined ? {} : { lock }) }, async (tx) => {
    const at = now()
    const more = request.onOpen ? await request.onOpen(tx, { id: plan.runId, at }) : []
    if (more === null) return { result: false, events: [] }
    const run = await tx.runs.insert({
      id: plan.runId,
      agentId: agent.id,
      teamId,
      runtime: agent.runtime,
      sessionKey,
      trigger,
      model: plan.model,
      prompt: plan.prompt.text,
      owner: { instance, leaseMs: RUN_LEASE_MS },
      startedAt: at,
    })
    const status = await setStatus(tx, agent.id, 'running', at)
    return { result: true, events: [{ type: 'run-started', run }, ...status, ...more] }
  })
}

function drainOpenRun(
  services: OpenServices,
  request: RunRequest,
  plan: RunPlan,
  tools: OpenedTools | null,
  onClosed: (runId: string) => void,
): OpenRun {
  const { agent, runtime, teamId, onDelivered } = request
  const stream = services.streams.open(agent.id, plan.runId)
  const book = createRunBook(services, { runId: plan.runId, agent, teamId }, async (promptId) =>
    onDelivered?.(promptId),
  )
  const draining = drainRun(plan, book, stream)
  return {
    ...draining,
    id: plan.runId,
    agentId: agent.id,
    sessionKey: plan.sessionKey,
    canSteer: runtime.descriptor.claims.steering,
    async close(closing) {
      onClosed(plan.runId)
      const end = await draining.ended
      request.onStep?.('end-run')
      return closeRun(services, { runId: plan.runId, agent, teamId, end, stream, tools }, closing)
    },
  }
}

interface DrainedRun {
  readonly runId: string
  readonly agent: AgentRecord
  readonly teamId: string | null
  readonly end: RunEnding
  readonly stream: RunStream
  readonly tools: OpenedTools | null
}

async function closeRun<T>(services: OpenServices, run: DrainedRun, { lock, also }: RunClosing<T>): Promise<T> {
  const { record, instance, attention, log, now, unstored } = services
  const { outcome, reason, detail, text, resume } = run.end
  run.stream.end()
  await revoke(services, run.tools)
  if (reason === 'process_died') log.error('a run failed unexpectedly', { runId: run.runId, detail })
  const result = await record<T>({ action: null, ...(lock === undefined ? {} : { lock }) }, async (tx) => {
    const endedAt = now()
    const ended = await endRun(tx, instance, run.runId, { outcome, reason, detail, text, resume, endedAt })
    const more = await also(tx, ended.run, endedAt)
    return { result: more.result, events: [...ended.events, ...more.events] }
  }).catch((error: unknown) => {
    unstored.add(run)
    throw error
  })
  await reportLimit(attention, run, run.end)
  return result
}

type UnstoredEnds = ReturnType<typeof createUnstoredEnds>

const STORE_AGAIN_MS = 1000

/**
 * The ends that could not be stored, without the changes of their triggers. Stores them as soon as the database is
 * back: until then their runs look active, and no lease of this server expires.
 */
function createUnstoredEnds({ record, instance, log, now }: Services) {
  const ends = new Map<string, RunEnding>()
  const store = async (runId: string, { outcome, reason, detail, text, resume }: RunEnding) => {
    await record({ action: null }, async (tx) => {
      const ended = await endRun(tx, instance, runId, { outcome, reason, detail, text, resume, endedAt: now() })
      return { result: undefined, events: ended.events }
    })
    ends.delete(runId)
  }
  let timer: NodeJS.Timeout | undefined
  const again = async () => {
    for (const [runId, end] of ends)
      await store(runId, end).catch((error: unknown) =>
        log.warn('the end of a run is not stored yet', { runId, error }),
      )
    if (ends.size > 0) later()
  }
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void again(), STORE_AGAIN_MS).unref()
  }
  return {
    add({ runId, end }: DrainedRun) {
      ends.set(runId, end)
      later()
    },
    close: () => clearTimeout(timer),
  }
}

/** Never rejects. */
async function revoke({ log }: Services, tools: OpenedTools | null): Promise<void> {
  await tools?.close().catch((error: unknown) => log.error('the credential of a run was not revoked', { error }))
}

function approvalAnswer({ answer }: AttentionItem): ApprovalAnswer {
  return answer === 'allow-once' || answer === 'allow-always' ? answer : 'deny'
}
