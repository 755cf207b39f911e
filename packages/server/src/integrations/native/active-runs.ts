import { ClawbooError } from '@clawboo/core'
import type { RunHandle } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { PreparedRun } from './loop/prepare-run.ts'
import { conversationKey } from './open-desks.ts'

export interface ActiveRun extends PreparedRun {
  readonly handle: RunHandle
  readonly sessionKey: string
  readonly agentId: string
  readonly ended: Promise<void>
}

/** Active runs, conversations that are being prepared for a run, and pending notes about ended runs. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>()
  /** By conversation. */
  readonly #holders = new Map<string, ActiveRun>()
  readonly #preparing = new Map<string, Promise<unknown>>()
  /** By agent. */
  readonly #notes = new Map<string, Promise<void>>()

  find(run: RunHandle): ActiveRun | null {
    return this.#runs.get(run.runId) ?? null
  }

  isBusy(agentId: string, sessionKey: string): boolean {
    const key = conversationKey(agentId, sessionKey)
    return this.#preparing.has(key) || this.#holders.has(key)
  }

  /**
   * Throws `agent_busy`. Resolves once a run that has just emitted its end has released the conversation, so that a
   * caller can start the next run at once.
   */
  wantFree(agent: AgentRecord, sessionKey: string): Promise<void> | undefined {
    const key = conversationKey(agent.id, sessionKey)
    const holder = this.#holders.get(key)
    if (this.#preparing.has(key) || (holder && !holder.run.gate.closed))
      throw new ClawbooError('agent_busy', `${agent.displayName} is at work already`)
    return holder?.ended
  }

  /** Locks the conversation while `work` is pending. */
  prepare<T>(agentId: string, sessionKey: string, work: Promise<T>): Promise<T> {
    const key = conversationKey(agentId, sessionKey)
    const held = work.finally(() => this.#preparing.delete(key))
    this.#preparing.set(key, held)
    return held
  }

  /** `drive` never rejects. */
  begin(run: Omit<ActiveRun, 'ended'>, drive: () => Promise<void>): void {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const key = conversationKey(run.agentId, run.sessionKey)
    const active: ActiveRun = { ...run, ended }
    this.#runs.set(run.handle.runId, active)
    this.#holders.set(key, active)
    void drive().then(() => {
      this.#runs.delete(run.handle.runId)
      this.#holders.delete(key)
      this.#note(run.agentId, run.finished())
      resolve()
    })
  }

  /** Resolves when these agents have no more work under way. */
  async end(isOf: (agentId: string) => boolean): Promise<void> {
    const runs = [...this.#runs.values()].filter(({ agentId }) => isOf(agentId))
    for (const run of runs) run.controller.abort()
    const preparing = [...this.#preparing].filter(([key]) => isOf(key.slice(0, key.indexOf('\n'))))
    await Promise.allSettled([...preparing.map(([, work]) => work), ...runs.map(({ ended }) => ended)])
    await Promise.all([...this.#notes].filter(([agentId]) => isOf(agentId)).map(([, noted]) => noted))
  }

  #note(agentId: string, work: Promise<void>): void {
    const noted: Promise<void> = Promise.all([this.#notes.get(agentId), work.catch(() => {})]).then(() => {
      if (this.#notes.get(agentId) === noted) this.#notes.delete(agentId)
    })
    this.#notes.set(agentId, noted)
  }
}
