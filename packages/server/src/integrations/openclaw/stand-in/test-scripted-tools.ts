import { randomUUID } from 'node:crypto'
import type { ScriptedToolCall } from '@clawboo/scripted-model'
import type { Json } from './test-recordings.ts'

/** The command that runs until `release`. */
export const HOLD_COMMAND = 'hold'

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

/** The parts of a run that its tools use. */
export interface ToolUser {
  readonly agentId: string
  readonly sessionKey: string
  readonly runId: string
  /** Commands need approval. */
  readonly isGuarded: boolean
  readonly signal: AbortSignal
  broadcast(event: string, payload: Json): void
  lifecycle(data: Json): void
}

/** The tools of scripted runs: `exec`, whose commands need approval in a guarded session, and `write`. */
export class ScriptedTools {
  /** Files by the agent's id and their path. */
  readonly #files = new Map<string, string>()
  readonly #questions = new Map<string, (decision: string) => void>()
  readonly #released = Promise.withResolvers<void>()

  file(agentId: string, path: string): string | null {
    return this.#files.get(`${agentId}/${path}`) ?? null
  }

  /** Ends every held command, including those that start later. */
  release(): void {
    this.#released.resolve()
  }

  /** Returns false when no scripted run asks this question. */
  answer(approvalId: string, decision: string): boolean {
    const settle = this.#questions.get(approvalId)
    this.#questions.delete(approvalId)
    settle?.(decision)
    return settle !== undefined
  }

  async use({ id, tool, input }: ScriptedToolCall, user: ToolUser): Promise<ToolResult> {
    const args = JSON.parse(input) as Readonly<Record<string, string>>
    if (tool === 'exec') return this.#exec(id, args.command!, user)
    if (tool !== 'write') return { text: `Tool ${tool} not found`, isError: true }
    this.#files.set(`${user.agentId}/${args.path}`, args.content!)
    return { text: `Wrote ${args.path}`, isError: false }
  }

  async #exec(callId: string, command: string, user: ToolUser): Promise<ToolResult> {
    if (command === HOLD_COMMAND) {
      await Promise.race([this.#released.promise, aborted(user.signal)])
      return { text: 'released', isError: false }
    }
    if (!user.isGuarded) return { text: 'done', isError: false }
    const approvalId = randomUUID()
    const decision = await this.#ask(approvalId, callId, command, user)
    if (decision === 'allow-once') return { text: 'done', isError: false }
    return { text: `Exec denied (gateway id=${approvalId}, user-denied): ${command}`, isError: true }
  }

  async #ask(id: string, callId: string, command: string, user: ToolUser): Promise<string> {
    const request = approvalRequest(callId, command, user)
    const now = Date.now()
    const answered = new Promise<string>((resolve) => this.#questions.set(id, resolve))
    user.broadcast('exec.approval.requested', {
      approvalKind: 'exec',
      id,
      request,
      createdAtMs: now,
      expiresAtMs: now + 30 * 60_000,
    })
    user.lifecycle({ phase: 'waiting-approval', approvalId: id, toolCallId: callId })
    const decision = await Promise.race([answered, aborted(user.signal)])
    this.#questions.delete(id)
    const resolvedBy = user.signal.aborted ? 'approval-scope-closed' : 'gateway-client'
    user.broadcast('exec.approval.resolved', { id, decision: decision ?? 'deny', resolvedBy, ts: Date.now(), request })
    user.lifecycle({ phase: 'approval-resolved', approvalId: id, toolCallId: callId })
    return decision ?? 'deny'
  }
}

function approvalRequest(toolCallId: string, command: string, { agentId, sessionKey, runId }: ToolUser): Json {
  return {
    command,
    cwd: '<dir>/workspace',
    host: 'gateway',
    security: 'allowlist',
    ask: 'on-miss',
    allowedDecisions: ['allow-once', 'deny'],
    agentId,
    sessionKey,
    runId,
    toolCallId,
    turnSourceChannel: 'webchat',
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return Promise.resolve(null)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))
}
