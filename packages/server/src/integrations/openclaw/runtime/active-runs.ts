import { ClawbooError } from '@clawboo/core'
import type { Prompt, RunHandle } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { GatewayConnection, GatewayStatus } from '../gateway/gateway-connection.ts'
import { type ApprovalSignal, createTranslator } from '../translate.ts'
import { GatewayRun } from './gateway-run.ts'
import type { GatewaySessions, PromptWish, SessionRows } from './gateway-sessions.ts'
import type { UpstreamEnd } from './run-hooks.ts'
import { SilentFailures } from './silent-failures.ts'
import { isPromptKey } from './upstream-keys.ts'

export interface ActiveRun {
  readonly agent: AgentRecord
  /** The Gateway's. */
  readonly sessionKey: string
  readonly run: GatewayRun
  /** Which start of the Gateway it belongs to. */
  readonly bootId: string
  readonly closed: Promise<void>
  isAborting: boolean
  /** Sends a prompt of the run once more. */
  resend: (prompt: Prompt, queueMode: PromptWish['queueMode']) => Promise<void>
  resends: number
}

/** How long each way of aborting may take before the next is tried. */
const ABORT_TIER_MS = 4_000
/** A change of the Gateway's settings ends runs that are being prepared; nothing of them has happened then. */
const SUPERSEDED = /was superseded/
const MOST_RESENDS = 3
/** A run whose Gateway is away for longer is told as lost. */
const LOST_AFTER_MS = 8_000
/** How long after it is back a Gateway may take up what was interrupted. */
const RESUMES_WITHIN_MS = 120_000

/** What is under way, by the session it is in: a session has one run of ours at a time. */
export class ActiveRuns {
  readonly #gateway: GatewayConnection
  readonly #sessions: GatewaySessions
  readonly #bySession = new Map<string, ActiveRun & { readonly close: () => void }>()
  /** Runs that were given up while the Gateway was away, by session: it may be at work on them, or take them up again. */
  readonly #lost = new Map<string, readonly string[]>()
  /** Runs whose events nobody has asked for yet: one may be over before its start is answered. */
  readonly #unread = new Map<string, GatewayRun>()
  /** Ended at the Gateway as well: it might try again where nobody sees it. */
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
          this.#failures.hear(signal)
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
    if (this.#bySession.has(sessionKey)) throw new ClawbooError('agent_busy', `${agent.displayName} is at work already`)
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

  /** Whether a run of this server works in the session. */
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

  /** True: it is asked by a run of ours. One whose frame was lost is told to its run here. */
  claims(asked: ApprovalSignal): boolean {
    const run = this.#bySession.get(asked.sessionKey)?.run
    if (run?.wasAsked(asked.approvalId)) return true
    if (!run?.isMember(asked.runId)) return false
    run.take(asked)
    return true
  }

  /** It never came to be. */
  discard({ sessionKey, run }: ActiveRun): void {
    this.#unread.delete(run.handle.runId)
    this.#release(sessionKey)
  }

  /** In two tiers: what is ours by its ids, then everything in the session. Resolves when the run has ended. */
  async abort(handle: RunHandle): Promise<void> {
    const active = this.find(handle)
    if (!active || active.run.events.ended) return
    if (active.isAborting) return active.closed
    active.isAborting = true
    await this.#abortKeys(active, active.run.unsettled, active.run.hasQueued)
    if (await within(active.closed, ABORT_TIER_MS)) return
    await this.#sessions.abortAll(active.sessionKey).catch(() => {})
    if (await within(active.closed, ABORT_TIER_MS)) return
    active.run.close({ outcome: 'aborted', detail: 'the OpenClaw Gateway did not say that it has stopped' })
    this.#release(active.sessionKey)
  }

  /** For a conversation whose run has lost its server: what it left at work there is ended, now or when it is reached. */
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
  }

  async #abortKeys({ sessionKey }: ActiveRun, keys: readonly string[], hasQueued: boolean): Promise<void> {
    // What is queued has no id that could be named.
    if (hasQueued) await this.#sessions.abortAll(sessionKey).catch(() => {})
    await this.#abortRuns(sessionKey, keys)
  }

  async #finish(active: ActiveRun, end: UpstreamEnd): Promise<void> {
    const { run, sessionKey, isAborting } = active
    if (await this.#isSentAnew(active, end)) return
    if (run.misses) {
      const rows = await this.#sessions.rows(sessionKey).catch(() => null)
      for (const spent of rows?.spent ?? []) if (run.isMember(spent.runId)) run.spent(spent)
    }
    // An abort can come after the run's own answer: then it takes back the prompts that were still to be answered.
    if (isAborting && (end.how !== 'final' || run.hasUndelivered)) run.close({ outcome: 'aborted' })
    else if (end.how === 'error')
      run.close({ fault: { reason: 'model_failed', message: end.problem || 'the run failed' } })
    else if (end.how === 'aborted') run.close({ outcome: 'aborted', detail: 'it was stopped at the OpenClaw Gateway' })
    else run.close({ outcome: 'completed' })
    this.#release(sessionKey)
  }

  async #isSentAnew(active: ActiveRun, { how, problem }: UpstreamEnd): Promise<boolean> {
    const { run, isAborting } = active
    if (how !== 'error' || isAborting || !run.isUntouched || !SUPERSEDED.test(problem)) return false
    if (active.resends++ >= MOST_RESENDS) return false
    const prompts = run.restart()
    for (const [at, prompt] of prompts.entries()) {
      try {
        await active.resend(prompt, at === 0 ? 'followup' : 'steer')
      } catch {
        run.handBack(prompts.slice(at))
        return at > 0
      }
    }
    return true
  }

  #release(sessionKey: string): void {
    const active = this.#bySession.get(sessionKey)
    if (!active) return
    this.#bySession.delete(sessionKey)
    // What was lost in it is still listened for.
    if (!this.#lost.has(sessionKey)) this.#leave(sessionKey)
    active.close()
  }

  #connectionChanged({ state, hello }: GatewayStatus): void {
    if (state === 'connected') {
      const isAnew = hello !== this.#hello
      this.#hello = hello
      if (isAnew) this.#translate = createTranslator()
      if (this.#lostTimer) clearTimeout(this.#lostTimer)
      this.#lostTimer = null
      void this.#pickUp(hello?.bootId ?? '', isAnew)
    } else if (this.#bySession.size > 0 && !this.#lostTimer) {
      this.#lostTimer = setTimeout(() => {
        this.#lostTimer = null
        for (const active of [...this.#bySession.values()]) this.#lose(active, 'the OpenClaw Gateway is gone')
      }, LOST_AFTER_MS)
    }
  }

  /** The Gateway is back, or frames were lost: what happened meanwhile is in its record. */
  async #pickUp(bootId: string, isAnew: boolean): Promise<void> {
    for (const active of [...this.#bySession.values()]) {
      // Older releases do not tell one start from another: then nothing can be known of what was under way.
      const isAnother = active.bootId !== bootId || (bootId === '' && isAnew)
      if (isAnother) this.#lose(active, 'the OpenClaw Gateway was restarted')
      else await this.#catchUp(active).catch(() => {})
    }
    for (const [sessionKey, keys] of this.#lost) await this.#endUnseen(sessionKey, keys).catch(() => {})
  }

  /** Whoever asked was told that the run is lost: it must not go on, nor begin again, where nobody sees it. */
  async #endUnseen(sessionKey: string, keys: readonly string[]): Promise<void> {
    setTimeout(() => this.#giveUpLost(sessionKey), RESUMES_WITHIN_MS).unref()
    await this.#sessions.follow(sessionKey)
    const rows = await this.#sessions.rows(sessionKey)
    await this.#abortRuns(sessionKey, [...keys, ...rows.resumed, ...this.#orphansIn(sessionKey, rows)])
  }

  #giveUpLost(sessionKey: string): void {
    this.#lost.delete(sessionKey)
    if (!this.#bySession.has(sessionKey)) this.#leave(sessionKey)
  }

  #leave(sessionKey: string): void {
    if (this.#gateway.status().state === 'connected') this.#sessions.leave(sessionKey)
  }

  /** What nobody follows of what prompts of ours have begun or would begin, the newest first. */
  #orphansIn(sessionKey: string, { waiting, activeRun, promptKeys }: SessionRows): readonly string[] {
    const followed = this.#bySession.get(sessionKey)?.run
    const orphans = [...waiting, ...(activeRun === null ? [] : [activeRun])].filter(isPromptKey)
    // What answers a prompt that had to wait has an id that nobody chose.
    const isQueuedOne = activeRun !== null && !orphans.includes(activeRun) && isPromptKey(promptKeys.at(-1) ?? '')
    if (isQueuedOne && !followed) orphans.push(activeRun)
    return orphans.filter((runId) => !followed?.isMember(runId))
  }

  /** One after the other, the newest first: what waits would begin when what it waits for ends. */
  async #abortRuns(sessionKey: string, runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) await this.#sessions.abort(sessionKey, runId).catch(() => {})
  }

  async #catchUp({ sessionKey, run }: ActiveRun): Promise<void> {
    await this.#sessions.follow(sessionKey)
    const { promptKeys, spent, isActive, lastText } = await this.#sessions.rows(sessionKey)
    for (const key of promptKeys) run.take({ type: 'prompt-kept', sessionKey, key, into: null })
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
