import { ClawbooError } from '@clawboo/core'
import type { Prompt, RunHandle } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { GatewayConnection, GatewayStatus } from '../gateway/gateway-connection.ts'
import { type ApprovalSignal, createTranslator } from '../translate.ts'
import { GatewayRun } from './gateway-run.ts'
import type { GatewaySessions, PromptRequest, SessionRows } from './gateway-sessions.ts'
import type { UpstreamEnd } from './run-hooks.ts'
import { SilentFailures } from './silent-failures.ts'
import { isPromptKey } from './upstream-keys.ts'

export interface ActiveRun {
  readonly agent: AgentRecord
  /** The Gateway's session key. */
  readonly sessionKey: string
  readonly run: GatewayRun
  /** The Gateway start that the run belongs to. */
  readonly bootId: string
  readonly closed: Promise<void>
  isAborting: boolean
  /** Sends a prompt of the run again. */
  resend: (prompt: Prompt, queueMode: PromptRequest['queueMode']) => Promise<void>
  resends: number
}

/** The time limit of each way to abort before the next is tried. */
const ABORT_TIER_MS = 4_000
/**
 * A change of the Gateway's settings ends runs that are being prepared. They have done nothing yet, so they can be
 * sent again.
 */
const SUPERSEDED = /was superseded/
const MOST_RESENDS = 3
/** A run whose Gateway is offline for longer is reported as lost. */
const LOST_AFTER_MS = 8_000
/** How long after it reconnects a Gateway may resume interrupted runs. */
const RESUMES_WITHIN_MS = 120_000

/** The active runs by session: a session has at most one of our runs. */
export class ActiveRuns {
  readonly #gateway: GatewayConnection
  readonly #sessions: GatewaySessions
  readonly #bySession = new Map<string, ActiveRun & { readonly close: () => void }>()
  /** Runs that were reported as lost, by session. The Gateway may still run or resume them. */
  readonly #lost = new Map<string, readonly string[]>()
  readonly #givingUp = new Map<string, NodeJS.Timeout>()
  /** Runs without an event reader yet, because a run may end before its start is answered. */
  readonly #unread = new Map<string, GatewayRun>()
  /** Also ends the run at the Gateway, which might otherwise retry it unobserved. */
  readonly #failures = new SilentFailures((end) => {
    const active = this.#bySession.get(end.sessionKey)
    if (!active?.run.isMember(end.runId)) return
    active.run.take(end)
    void this.#abortRuns(end.sessionKey, [end.runId])
  })
  readonly #stops: (() => void)[]
  #hello: GatewayStatus['hello'] = null
  #translate = createTranslator()
  #lostTimer: NodeJS.Timeout | null = null
  #isDisposed = false

  constructor(gateway: GatewayConnection, sessions: GatewaySessions) {
    this.#gateway = gateway
    this.#sessions = sessions
    this.#stops = [
      gateway.onFrame((frame) => {
        if (this.#bySession.size === 0 && this.#lost.size === 0) return
        for (const signal of this.#translate(frame)) {
          this.#bySession.get(signal.sessionKey)?.run.take(signal)
          this.#failures.observe(signal)
          if (signal.type === 'resumed' && this.#lost.has(signal.sessionKey))
            void this.#abortRuns(signal.sessionKey, [signal.runId])
        }
      }),
      gateway.onChange((status) => this.#connectionChanged(status)),
    ]
  }

  /** Throws `agent_busy`, `server_stopping` and `upstream_disconnected`. */
  open(of: { agent: AgentRecord; sessionKey: string; runId: string }): ActiveRun {
    const { agent, sessionKey, runId } = of
    if (this.#isDisposed) throw new ClawbooError('server_stopping', 'the server is stopping')
    if (this.#bySession.has(sessionKey)) throw new ClawbooError('agent_busy', `${agent.displayName} is already running`)
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    const run = new GatewayRun({
      runId,
      hooks: {
        over: (end) => void this.#finish(active, end),
        drop: (keys, hasQueued) => void this.#abortKeys(active, keys, hasQueued),
      },
    })
    const bootId = this.#gateway.status().hello?.bootId ?? ''
    const resending = { resend: async () => {}, resends: 0 }
    const active = { agent, sessionKey, run, bootId, closed, close, isAborting: false, ...resending }
    this.#bySession.set(sessionKey, active)
    this.#unread.set(runId, run)
    return active
  }

  /** Whether one of this server's runs uses the session. */
  isOurs(sessionKey: string): boolean {
    return this.#bySession.has(sessionKey)
  }

  find({ runId }: RunHandle): ActiveRun | null {
    for (const active of this.#bySession.values()) if (active.run.handle.runId === runId) return active
    return null
  }

  events(handle: RunHandle): GatewayRun['events'] | null {
    const run = this.#unread.get(handle.runId) ?? this.find(handle)?.run
    this.#unread.delete(handle.runId)
    return run?.events ?? null
  }

  /** Returns true when one of our own runs asks. Passes the question to the run if its frame was lost. */
  claims(asked: ApprovalSignal): boolean {
    const run = this.#bySession.get(asked.sessionKey)?.run
    if (run?.wasAsked(asked.approvalId)) return true
    if (!run?.isMember(asked.runId)) return false
    run.take(asked)
    return true
  }

  /** Removes a run that never started. */
  discard({ sessionKey, run }: ActiveRun): void {
    this.#unread.delete(run.handle.runId)
    this.#release(sessionKey)
  }

  /** First aborts our runs by id, then everything in the session. Resolves when the run has ended. */
  async abort(handle: RunHandle): Promise<void> {
    const active = this.find(handle)
    if (!active || active.run.events.ended) return
    if (active.isAborting) return active.closed
    active.isAborting = true
    await this.#abortKeys(active, active.run.unsettled, active.run.hasQueued)
    if (await within(active.closed, ABORT_TIER_MS)) return
    // A call that fails is treated as one without an effect: the run is closed below.
    await this.#sessions.abortAll(active.sessionKey).catch(() => {})
    if (await within(active.closed, ABORT_TIER_MS)) return
    active.run.close({ outcome: 'aborted', detail: 'the OpenClaw Gateway did not confirm the stop' })
    this.#release(active.sessionKey)
  }

  /** Ends the runs that a dead server left in a conversation, now or when the Gateway is reachable again. */
  async endOrphan(sessionKey: string): Promise<void> {
    if (!this.#lost.has(sessionKey)) this.#lost.set(sessionKey, [])
    if (this.#gateway.status().state === 'connected') await this.#endUnseen(sessionKey, [])
  }

  async end(isOf: (agent: AgentRecord) => boolean): Promise<void> {
    const runs = [...this.#bySession.values()].filter(({ agent }) => isOf(agent))
    await Promise.all(runs.map(({ run }) => this.abort(run.handle)))
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    await this.end(() => true)
    for (const stop of this.#stops) stop()
    this.#failures.stop()
    if (this.#lostTimer) clearTimeout(this.#lostTimer)
    for (const timer of this.#givingUp.values()) clearTimeout(timer)
  }

  async #abortKeys({ sessionKey }: ActiveRun, keys: readonly string[], hasQueued: boolean): Promise<void> {
    // A queued prompt has no id that could be aborted, so everything is aborted. Errors are ignored, because the run is
    // ending anyway.
    if (hasQueued) await this.#sessions.abortAll(sessionKey).catch(() => {})
    await this.#abortRuns(sessionKey, keys)
  }

  async #finish(active: ActiveRun, end: UpstreamEnd): Promise<void> {
    const { run, sessionKey, isAborting } = active
    if (await this.#wasSentAgain(active, end)) return
    if (run.lacksRows) {
      // The run has ended either way; without the rows only its cost stays unknown.
      const rows = await this.#sessions.rows(sessionKey).catch(() => null)
      for (const spent of rows?.spent ?? []) if (run.isMember(spent.runId)) run.spent(spent)
    }
    // An abort after the run's own answer withdraws the prompts that were still waiting.
    if (isAborting && (end.how !== 'final' || run.hasUndelivered)) run.close({ outcome: 'aborted' })
    else if (end.how === 'error')
      run.close({ fault: { reason: 'model_failed', message: end.problem || 'the run failed' } })
    else if (end.how === 'aborted') run.close({ outcome: 'aborted', detail: 'it was stopped at the OpenClaw Gateway' })
    else run.close({ outcome: 'completed' })
    this.#release(sessionKey)
  }

  async #wasSentAgain(active: ActiveRun, { how, problem }: UpstreamEnd): Promise<boolean> {
    const { run, isAborting } = active
    if (how !== 'error' || isAborting || !run.isUntouched || !SUPERSEDED.test(problem)) return false
    if (active.resends++ >= MOST_RESENDS) return false
    const prompts = run.restart()
    for (const [at, prompt] of prompts.entries()) {
      try {
        await active.resend(prompt, at === 0 ? 'followup' : 'steer')
      } catch {
        run.returnUnsent(prompts.slice(at))
        return at > 0
      }
    }
    return true
  }

  #release(sessionKey: string): void {
    const active = this.#bySession.get(sessionKey)
    if (!active) return
    this.#bySession.delete(sessionKey)
    // A session with lost runs must still be followed.
    if (!this.#lost.has(sessionKey)) this.#leave(sessionKey)
    active.close()
  }

  #connectionChanged({ state, hello }: GatewayStatus): void {
    if (state === 'connected') {
      const isNewConnection = hello !== this.#hello
      this.#hello = hello
      if (isNewConnection) this.#translate = createTranslator()
      if (this.#lostTimer) clearTimeout(this.#lostTimer)
      this.#lostTimer = null
      void this.#recover(hello?.bootId ?? '', isNewConnection)
    } else if (this.#bySession.size > 0 && !this.#lostTimer) {
      this.#lostTimer = setTimeout(() => {
        this.#lostTimer = null
        for (const active of [...this.#bySession.values()]) this.#lose(active, 'the OpenClaw Gateway went offline')
      }, LOST_AFTER_MS)
    }
  }

  /** After a reconnect or lost frames, reads the missed events from the Gateway's record. */
  async #recover(bootId: string, isNewConnection: boolean): Promise<void> {
    for (const active of [...this.#bySession.values()]) {
      // Older releases send no boot id, so after a reconnect the state of a run is unknown.
      const isAnother = active.bootId !== bootId || (bootId === '' && isNewConnection)
      if (isAnother) this.#lose(active, 'the OpenClaw Gateway was restarted')
      // A read fails only if the connection is lost again; the next connection then catches up.
      else await this.#catchUp(active).catch(() => {})
    }
    // After a failure, the next connection tries again until the session is given up.
    for (const [sessionKey, keys] of this.#lost) await this.#endUnseen(sessionKey, keys).catch(() => {})
  }

  /** A run that was reported as lost must not continue or restart unobserved. */
  async #endUnseen(sessionKey: string, keys: readonly string[]): Promise<void> {
    // Only the newest connection's time counts: a session that is lost again must not be given up early.
    clearTimeout(this.#givingUp.get(sessionKey))
    this.#givingUp.set(sessionKey, setTimeout(() => this.#giveUpLost(sessionKey), RESUMES_WITHIN_MS).unref())
    await this.#sessions.follow(sessionKey)
    const rows = await this.#sessions.rows(sessionKey)
    await this.#abortRuns(sessionKey, [...keys, ...rows.resumed, ...this.#orphansIn(sessionKey, rows)])
  }

  #giveUpLost(sessionKey: string): void {
    this.#lost.delete(sessionKey)
    this.#givingUp.delete(sessionKey)
    if (!this.#bySession.has(sessionKey)) this.#leave(sessionKey)
  }

  #leave(sessionKey: string): void {
    if (this.#gateway.status().state === 'connected') this.#sessions.leave(sessionKey)
  }

  /** The active or waiting runs that our prompts started and no server follows, newest first. */
  #orphansIn(sessionKey: string, { waiting, activeRun, promptKeys }: SessionRows): readonly string[] {
    const followed = this.#bySession.get(sessionKey)?.run
    const orphans = [...waiting, ...(activeRun === null ? [] : [activeRun])].filter(isPromptKey)
    // The run that answers a queued prompt has an id chosen by the Gateway.
    const isQueuedOne = activeRun !== null && !orphans.includes(activeRun) && isPromptKey(promptKeys.at(-1) ?? '')
    if (isQueuedOne && !followed) orphans.push(activeRun)
    return orphans.filter((runId) => !followed?.isMember(runId))
  }

  /**
   * Aborts in order, newest first, because a waiting run would start when the one before it ends. Ignores errors,
   * because a run may already have ended.
   */
  async #abortRuns(sessionKey: string, runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) await this.#sessions.abort(sessionKey, runId).catch(() => {})
  }

  async #catchUp({ sessionKey, run }: ActiveRun): Promise<void> {
    await this.#sessions.follow(sessionKey)
    const { promptKeys, spent, isActive, lastText } = await this.#sessions.rows(sessionKey)
    for (const key of promptKeys) run.take({ type: 'prompt-stored', sessionKey, key, into: null })
    for (const one of spent) if (run.isMember(one.runId)) run.spent(one)
    if (isActive) return
    const over = { type: 'over', sessionKey, how: 'final', text: lastText ?? '', problem: '' } as const
    for (const runId of run.unsettled) run.take({ ...over, runId })
  }

  #lose(active: ActiveRun, message: string): void {
    const { sessionKey, run } = active
    this.#lost.set(sessionKey, run.unsettled)
    run.close({ fault: { reason: 'process_died', message } })
    this.#release(sessionKey)
  }
}

async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  return Promise.race([promise.then(() => true), late.promise]).finally(() => clearTimeout(timer))
}
