import { join } from 'node:path'
import { createInOrder, type InOrder } from '@clawboo/core'
import type { IntegrationHost } from '../host.ts'
import { lookAt } from './bootstrap/look-at-path.ts'
import { createBootstrapReader } from './bootstrap/read-bootstrap-files.ts'
import { createTokenEstimator } from './context/token-estimate.ts'
import { type CommandSessions, createCommandSessions } from './exec/command-sessions.ts'
import { createExecApprovals, type ExecApprovals } from './exec/exec-approvals.ts'
import { openSession, type Session } from './session/session.ts'
import { openSessionIndex, type SessionIndex } from './session/session-index.ts'
import { createSkillReader } from './skills/find-skills.ts'

/** The state that stays open for one agent between runs. */
export interface AgentDesk {
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
  readonly openSessions: number
  dispose(): Promise<void>
}

export function createAgentDesk(host: IntegrationHost, agentId: string): AgentDesk {
  const folder = join(host.homeFolder, agentId)
  const workspace = join(folder, 'workspace')
  const sessionsFolder = join(folder, 'sessions')
  const approvalsFile = `${agentId}/exec-approvals.json`
  const commands = createCommandSessions(host.processes, { now: host.now })
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
    await (await session?.catch(() => null))?.close()
  }
  return {
    agentId,
    workspace,
    commands,
    approvals: createExecApprovals({
      async load() {
        // The file rarely exists, and the safe read opens every folder on the path, so check cheaply first.
        if (lookAt(join(host.homeFolder, approvalsFile)) === null) return []
        const bytes = await host.files.read(approvalsFile)
        return bytes === null ? [] : (JSON.parse(bytes.toString('utf8')) as unknown)
      },
      save: (entries) => host.files.write(approvalsFile, `${JSON.stringify(entries, null, 2)}\n`),
    }),
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
    get openSessions() {
      return open.size
    },
    async dispose() {
      await commands.dispose()
      await Promise.all([...open.keys()].map(closeSession))
    },
  }
}

/** Reuses the formatter, because creating one is slower than the rest of the prompt. */
function createDateWriter(timeZone: string): (ms: number) => string {
  let format: Intl.DateTimeFormat | null = null
  return (ms) => {
    format ??= new Intl.DateTimeFormat('sv-SE', { timeZone })
    return format.format(ms)
  }
}
