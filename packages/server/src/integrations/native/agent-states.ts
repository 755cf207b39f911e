import { join } from 'node:path'
import { ClawbooError, createInOrder, type InOrder } from '@clawboo/core'
import type { IntegrationHost } from '../host.ts'
import { lookAt } from './bootstrap/look-at-path.ts'
import { createBootstrapReader } from './bootstrap/read-bootstrap-files.ts'
import { createTokenEstimator } from './context/token-estimate.ts'
import { type CommandSessions, createCommandSessions } from './exec/command-sessions.ts'
import { createExecApprovals, type ExecApprovals } from './exec/exec-approvals.ts'
import { openSession, type Session } from './session/session.ts'
import { openSessionIndex, type SessionIndex } from './session/session-index.ts'
import { createSkillReader } from './skills/find-skills.ts'

/** The number of idle conversations that stay open, because reopening one reads its file. */
const KEPT_OPEN = 16

/** The states of all agents that have run here, and their open conversations. */
export class AgentStates {
  readonly #host: IntegrationHost
  readonly #isBusy: (agentId: string, sessionKey: string) => boolean
  readonly #states = new Map<string, AgentState>()
  /** The open conversations, in order of last use. */
  #recent: { readonly state: AgentState; readonly sessionKey: string }[] = []
  #isClosed = false

  constructor(host: IntegrationHost, isBusy: (agentId: string, sessionKey: string) => boolean) {
    this.#host = host
    this.#isBusy = isBusy
  }

  /** Throws `server_stopping` once everything is closed. */
  of(agentId: string): AgentState {
    if (this.#isClosed) throw new ClawbooError('server_stopping', 'the runtime has been stopped')
    const state = this.#states.get(agentId) ?? createAgentState(this.#host, agentId)
    this.#states.set(agentId, state)
    return state
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  isOpen(state: AgentState): boolean {
    return this.#states.get(state.agentId) === state
  }

  /** Marks the conversation as used and closes the idle ones that were unused the longest. */
  used(state: AgentState, sessionKey: string): void {
    this.forgetConversation(state, sessionKey)
    this.#recent.push({ state, sessionKey })
    for (const oldest of [...this.#recent]) {
      if (this.#recent.length <= KEPT_OPEN) break
      if (this.#isBusy(oldest.state.agentId, oldest.sessionKey)) continue
      this.forgetConversation(oldest.state, oldest.sessionKey)
      // Every message was synced when its run ended, so a failed close loses nothing.
      void oldest.state.closeSession(oldest.sessionKey).catch(() => {})
    }
  }

  forgetConversation(state: AgentState, sessionKey: string): void {
    this.#recent = this.#recent.filter((other) => other.state !== state || other.sessionKey !== sessionKey)
  }

  /** Removes and returns the state of an agent; the caller disposes of it. */
  take(agentId: string): AgentState | null {
    const state = this.#states.get(agentId) ?? null
    this.#states.delete(agentId)
    this.#recent = this.#recent.filter((other) => other.state !== state)
    return state
  }

  /** Removes and returns all states, and refuses to open another. */
  takeAll(): readonly AgentState[] {
    this.#isClosed = true
    const states = [...this.#states.values()]
    this.#states.clear()
    return states
  }
}

/** The state that stays open for one agent between runs. */
export interface AgentState {
  readonly agentId: string
  /** An absolute path. */
  readonly workspace: string
  readonly commands: CommandSessions
  readonly approvals: ExecApprovals
  readonly files: ReturnType<typeof createBootstrapReader>
  readonly skills: ReturnType<typeof createSkillReader>
  readonly estimator: ReturnType<typeof createTokenEstimator>
  /** Runs changes to the workspace in order, across all conversations. */
  readonly inOrder: InOrder
  /** The date in the server's time zone, such as 2026-02-28. */
  dateOf(ms: number): string
  index(): Promise<SessionIndex>
  /** Opens the conversation under a key, or returns the open one. Only one run at a time may use it. */
  session(sessionKey: string): Promise<Session>
  /** Closes an open conversation; the next run reopens it. */
  closeSession(sessionKey: string): Promise<void>
  dispose(): Promise<void>
}

function createAgentState(host: IntegrationHost, agentId: string): AgentState {
  const folder = join(host.homeFolder, agentId)
  const workspace = join(folder, 'workspace')
  const sessionsFolder = join(folder, 'sessions')
  const commands = createCommandSessions(host.processes, host.now)
  const open = new Map<string, Promise<Session>>()
  let index: Promise<SessionIndex> | null = null

  const readIndex = () => {
    index ??= openSessionIndex(sessionsFolder, { now: host.now }).catch((error: unknown) => {
      index = null
      throw error
    })
    return index
  }
  const closeSession = async (sessionKey: string) => {
    const session = open.get(sessionKey)
    open.delete(sessionKey)
    // A session that could not be opened has nothing to close; whoever opened it got the error.
    await (await session?.catch(() => null))?.close()
  }
  return {
    agentId,
    workspace,
    commands,
    approvals: storedApprovals(host, `${agentId}/exec-approvals.json`),
    files: createBootstrapReader(host.now),
    skills: createSkillReader(),
    estimator: createTokenEstimator(),
    inOrder: createInOrder(),
    dateOf: createDateWriter(host.machine.timeZone),
    index: readIndex,
    session(sessionKey) {
      const known = open.get(sessionKey)
      if (known) return known
      const opening = readIndex()
        .then((list) => list.ensure(sessionKey))
        .then(({ sessionId }) => openSession(sessionsFolder, sessionId, { cwd: workspace, now: host.now, sessionKey }))
      open.set(sessionKey, opening)
      opening.catch(() => open.delete(sessionKey))
      return opening
    },
    closeSession,
    async dispose() {
      await commands.dispose()
      await Promise.all([...open.keys()].map(closeSession))
    },
  }
}

function storedApprovals(host: IntegrationHost, file: string): ExecApprovals {
  return createExecApprovals({
    async load() {
      // The file rarely exists, and the safe read opens every folder on the path, so check cheaply first.
      if (lookAt(join(host.homeFolder, file)) === null) return []
      const bytes = await host.files.read(file)
      return bytes === null ? [] : (JSON.parse(bytes.toString('utf8')) as unknown)
    },
    save: (entries) => host.files.write(file, `${JSON.stringify(entries, null, 2)}\n`),
  })
}

/** Reuses the formatter, because creating one is slower than the rest of the prompt. */
function createDateWriter(timeZone: string): (ms: number) => string {
  let format: Intl.DateTimeFormat | null = null
  return (ms) => {
    format ??= new Intl.DateTimeFormat('sv-SE', { timeZone })
    return format.format(ms)
  }
}
