import { randomBytes } from 'node:crypto'
import type { HostProcesses } from '../../host.ts'
import { type CommandRequest, type CommandSession, startCommand } from './command-session.ts'

const FINISHED_KEPT_MS = 30 * 60 * 1000
const MAX_RUNNING = 32
const MAX_FINISHED = 100

/** The commands of one agent: all that run, and for a while those that have finished. No command outlives the server. */
export interface CommandSessions {
  /** null when too many commands run already. */
  start(request: CommandRequest): CommandSession | null
  /** The kept sessions, newest first. */
  list(): readonly CommandSession[]
  get(id: string): CommandSession | null
  /** Keeps a session for `list` and `get`: its command runs in the background. */
  keep(session: CommandSession): void
  /** Drops a finished session; false when its command still runs. */
  forget(id: string): boolean
  /** Ends all commands and everything that they started. */
  dispose(graceMs?: number): Promise<void>
}

export function createCommandSessions(processes: HostProcesses, now: () => number = Date.now): CommandSessions {
  const live = new Set<CommandSession>()
  const kept = new Map<string, CommandSession>()
  let disposed = false

  const sweep = () => {
    const finished = [...kept.values()].filter((session) => session.endedAt() !== null)
    const surplus = finished.length - MAX_FINISHED
    for (const [index, session] of finished.entries()) {
      if (index < surplus || now() - session.endedAt()! >= FINISHED_KEPT_MS) kept.delete(session.id)
    }
  }
  return {
    start(request) {
      if (disposed || live.size >= MAX_RUNNING) return null
      const session = startCommand(randomBytes(4).toString('hex'), request, processes, now)
      live.add(session)
      void session.cleaned.finally(() => live.delete(session))
      return session
    },
    list() {
      sweep()
      return [...kept.values()].reverse()
    },
    get(id) {
      sweep()
      return kept.get(id) ?? null
    },
    keep(session) {
      kept.set(session.id, session)
      sweep()
      // Perhaps nobody calls `list` again.
      void session.ended.then(sweep)
    },
    forget(id) {
      if (kept.get(id)?.end() === null) return false
      return kept.delete(id)
    },
    async dispose(graceMs) {
      disposed = true
      await Promise.all([...live].map((session) => session.stop(graceMs)))
      await Promise.all([...live].map((session) => session.cleaned))
    },
  }
}
