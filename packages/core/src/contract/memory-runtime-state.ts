/** The state that outlives a reference runtime, including what its model received. */
export interface MemoryRuntimeState {
  /** By session id. */
  readonly sessions: Map<string, MemorySession>
  /** Includes deleted sessions, so that an id is never used twice. */
  sessionsBegun: number
  readonly alwaysAllowed: Set<string>
  /** Files in the agents' own workspaces, by `agentId/name`. */
  readonly files: Map<string, string>
  modelCalls: number
  readonly seenByModel: string[]
  /** Held tools finish when this promise resolves. */
  readonly release: PromiseWithResolvers<void>
}

/** One conversation. It is no longer current once the conversation was reset. */
export interface MemorySession {
  readonly id: string
  readonly agentId: string
  readonly sessionKey: string
  readonly promptIds: Set<string>
  readonly texts: string[]
  current: boolean
}

export function emptyRuntimeState(): MemoryRuntimeState {
  return {
    sessions: new Map(),
    sessionsBegun: 0,
    alwaysAllowed: new Set(),
    files: new Map(),
    modelCalls: 0,
    seenByModel: [],
    release: Promise.withResolvers(),
  }
}

export function beginSession(state: MemoryRuntimeState, agentId: string, sessionKey: string): MemorySession {
  state.sessionsBegun += 1
  const id = `session-${state.sessionsBegun}`
  const session = { id, agentId, sessionKey, promptIds: new Set<string>(), texts: [], current: true }
  state.sessions.set(id, session)
  return session
}

export function sessionsOf(state: MemoryRuntimeState, agentId: string, sessionKey: string): MemorySession[] {
  return [...state.sessions.values()].filter(
    (session) => session.agentId === agentId && session.sessionKey === sessionKey,
  )
}
