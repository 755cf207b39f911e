import { ClawbooError } from '@clawboo/core'
import type { AskedApproval, GivenApproval } from '@clawboo/core/executor'
import type { HostApprovals } from '../host.ts'
import type { GatewayConnection, GatewayStatus } from './gateway/gateway-connection.ts'
import { type GatewayFrame, plain } from './gateway/gateway-frames.ts'
import { isPromptKey } from './runtime/upstream-keys.ts'
import { type ApprovalSignal, translate } from './translate.ts'

/** Asks a person about approvals in runs that this server did not start, from `start` to `stop`. */
export interface OutsideApprovals {
  start(): void
  stop(): void
  /** Withdraws every question, because the person no longer uses this Gateway. */
  forget(): Promise<void>
}

export interface OutsideApprovalsDependencies {
  /** Absent when the host cannot ask people. */
  readonly approvals: HostApprovals | undefined
  /** Returns true when one of our own runs asks the question. */
  readonly claims: (asked: ApprovalSignal) => boolean
  readonly now: () => number
}

/** The maximum number of open questions; the others follow as these are settled. */
const MOST_ASKED = 200
const RETRY_MS = 5_000

export function createOutsideApprovals(
  gateway: GatewayConnection,
  dependencies: OutsideApprovalsDependencies,
): OutsideApprovals {
  const { approvals } = dependencies
  if (!approvals) return { start() {}, stop() {}, forget: async () => {} }
  return new AskedOutside(gateway, { ...dependencies, approvals })
}

/**
 * Reads the Gateway's whole list when the connection opens and after lost frames, and follows its frames in between.
 * While the connection is down, nothing changes.
 */
class AskedOutside implements OutsideApprovals {
  readonly #gateway: GatewayConnection
  readonly #dependencies: OutsideApprovalsDependencies & { readonly approvals: HostApprovals }
  readonly #known = new Map<string, OutsideQuestion>()
  /** The answers sent over this connection. */
  readonly #sent = new Set<string>()
  #hello: GatewayStatus['hello'] = null
  /** False while `#known` may still be from an earlier connection. */
  #isListed = false
  #isPartial = false
  #listing: { again: boolean; readonly asked: Set<string>; readonly over: Set<string> } | null = null
  #isStored = true
  #storing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #stops: (() => void)[] = []

  constructor(
    gateway: GatewayConnection,
    dependencies: OutsideApprovalsDependencies & { readonly approvals: HostApprovals },
  ) {
    this.#gateway = gateway
    this.#dependencies = dependencies
  }

  start(): void {
    this.#stops = [
      this.#gateway.onChange((status) => this.#changed(status)),
      this.#gateway.onFrame((frame) => this.#onFrame(frame)),
      this.#dependencies.approvals.onAnswer((answer) => this.#send(answer)),
    ]
    this.#changed(this.#gateway.status())
  }

  stop(): void {
    for (const end of this.#stops) end()
    if (this.#timer) clearTimeout(this.#timer)
  }

  async forget(): Promise<void> {
    this.#known.clear()
    this.#isListed = true
    await this.#store()
  }

  #changed({ state, hello }: GatewayStatus): void {
    if (state !== 'connected') return
    if (hello !== this.#hello) {
      this.#hello = hello
      this.#isListed = false
      this.#sent.clear()
    }
    void this.#list()
  }

  async #list(): Promise<void> {
    if (this.#listing) {
      this.#listing.again = true
      return
    }
    const listing = { again: false, asked: new Set<string>(), over: new Set<string>() }
    this.#listing = listing
    const rows = await this.#gateway.call<unknown>('exec.approval.list').catch(() => null)
    this.#listing = null
    if (listing.again) return this.#list()
    // A failed read is not an empty list.
    if (!Array.isArray(rows)) return this.#later(RETRY_MS)
    this.#isListed = true
    this.#replace(rows, listing)
    void this.#store()
  }

  /** Frames that arrived during the read are newer than the list, so they win. */
  #replace(rows: readonly unknown[], since: { readonly asked: Set<string>; readonly over: Set<string> }): void {
    const before = new Map(this.#known)
    this.#known.clear()
    this.#isPartial = false
    for (const id of since.asked) if (before.has(id)) this.#known.set(id, before.get(id)!)
    for (const payload of rows) {
      const question = this.#read({ event: 'exec.approval.requested', payload })
      if (!question || since.over.has(question.asked.id)) continue
      const { dueAt } = before.get(question.asked.id) ?? question
      this.#add({ ...question, dueAt })
    }
  }

  #onFrame(frame: GatewayFrame): void {
    if (frame.event === 'exec.approval.requested') {
      const question = this.#read(frame)
      if (!question || !this.#add(question)) return
      this.#listing?.asked.add(question.asked.id)
      void this.#store()
    } else if (frame.event === 'exec.approval.resolved') {
      for (const signal of translate(frame)) if (signal.type === 'approval-over') this.#over(signal.approvalId)
    }
  }

  #read(frame: GatewayFrame): OutsideQuestion | null {
    const [signal] = translate(frame)
    if (signal?.type !== 'approval-asked' || this.#dependencies.claims(signal)) return null
    return outsideQuestion(signal, this.#dependencies.now())
  }

  #add(question: OutsideQuestion): boolean {
    const hasRoom = this.#known.has(question.asked.id) || this.#known.size < MOST_ASKED
    if (hasRoom) this.#known.set(question.asked.id, question)
    else this.#isPartial = true
    return hasRoom
  }

  #over(id: string): void {
    this.#listing?.over.add(id)
    this.#listing?.asked.delete(id)
    if (!this.#known.delete(id)) return
    if (this.#isPartial) void this.#list()
    else void this.#store()
  }

  /** One store at a time, always with the newest state, so a burst of frames causes one or two. */
  #store(): Promise<void> {
    this.#isStored = false
    this.#storing ??= this.#storeUntilCurrent()
    return this.#storing
  }

  async #storeUntilCurrent(): Promise<void> {
    await Promise.resolve()
    while (!this.#isStored && this.#isListed) {
      this.#isStored = true
      try {
        for (const answer of await this.#dependencies.approvals.keep(this.#dueNow())) this.#send(answer)
      } catch {
        this.#later(RETRY_MS)
      }
    }
    this.#storing = null
  }

  #dueNow() {
    const now = this.#dependencies.now()
    const known = [...this.#known.values()]
    const waits = known.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now)
    if (waits.length > 0) this.#later(Math.min(...waits))
    return known.filter(({ dueAt }) => dueAt <= now).map(({ asked }) => asked)
  }

  /** Sends a person's answer once per connection. If the connection is lost, the next one sends it. */
  #send({ id, answer: decision }: GivenApproval): void {
    if (!this.#known.has(id) || this.#sent.has(id)) return
    this.#sent.add(id)
    this.#gateway.call('exec.approval.resolve', { id, decision }).catch((error: unknown) => {
      // The Gateway has already settled the question differently.
      if (error instanceof ClawbooError && error.code === 'upstream_refused') return this.#over(id)
      this.#sent.delete(id)
      this.#later(RETRY_MS)
    })
  }

  #later(ms: number): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#gateway.status().state !== 'connected') return
      void (this.#isListed ? this.#store() : this.#list())
    }, ms)
    this.#timer.unref()
  }
}

interface OutsideQuestion {
  readonly asked: AskedApproval
  /** The time at which a person is asked. */
  readonly dueAt: number
}

const MOST_COMMAND_CHARACTERS = 16_000
const LONGEST_MS = 24 * 60 * 60 * 1000
/** The delay before a Clawboo run's question is asked here, because the run's own server asks first. */
const HEAD_START_MS = 5_000

/** The Gateway's question for a person; null when it cannot be answered. */
function outsideQuestion(signal: ApprovalSignal, now: number): OutsideQuestion | null {
  const { approvalId: id, command, answers, askedAt, expiresAt } = signal
  if (id === '' || plain(id) !== id) return null
  const shown = visible(command.slice(0, MOST_COMMAND_CHARACTERS + 1))
  // A person must not approve a command that is not completely visible.
  const isWhole = shown !== '' && shown.length <= MOST_COMMAND_CHARACTERS && plain(signal.cwd) === signal.cwd
  const headStart = isPromptKey(signal.runId) ? HEAD_START_MS : 0
  return {
    dueAt: Math.min(Math.max(askedAt || now, now - headStart), now) + headStart,
    asked: {
      id,
      sourceAgentId: plain(signal.agentId),
      tool: 'exec',
      command: shown.slice(0, MOST_COMMAND_CHARACTERS),
      cwd: plain(signal.cwd),
      reason: isWhole ? plain(signal.reason) : 'the command cannot be shown in full',
      origin: plain(signal.origin),
      answers: isWhole ? answers : ['deny'],
      // If the Gateway's clock is far behind, an open question would seem expired.
      expiresAt: expiresAt > now ? Math.floor(Math.min(expiresAt, now + LONGEST_MS)) : null,
    },
  }
}

/** Shows invisible and direction-changing characters as code points. */
function visible(command: string): string {
  return command.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
}
