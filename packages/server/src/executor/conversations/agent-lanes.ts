import type { LiveRun } from '@clawboo/core/board'
import { type RunReason, resolveQueueSettings } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { OpenRun } from '../run/run-service.ts'
import { ConversationLane } from './conversation-lane.ts'
import type { LaneDriver } from './lane-driver.ts'

/** Work that occupies an agent outside its conversations, such as a task or a turn in a room. */
export interface Occupant {
  readonly sessionKey: string
  /** null before the run starts and after it ends. */
  readonly run: Pick<OpenRun, 'id'> | null
  /** Resolves when the agent is free again. */
  stop(reason: RunReason): Promise<void>
}

/** Ensures that an agent works on one conversation, task or turn at a time. */
export interface AgentSlots {
  /**
   * Returns a release function; call it when the agent is free again. null = the agent is busy or being removed, or the
   * server is stopping.
   */
  occupy(agent: Pick<AgentRecord, 'id' | 'runtime'>, occupant: Occupant): (() => void) | null
  /** The listener runs each time an agent becomes free. */
  onFree(listener: () => void): () => void
  /** The busy agents, including those whose run does not exist yet. */
  live(): LiveRun[]
}

/** The conversations with waiting or running messages, and the one that each agent works in. */
export interface AgentLanes extends AgentSlots {
  of(agent: AgentRecord, sessionKey: string): ConversationLane
  find(agentId: string, sessionKey: string): ConversationLane | undefined
  /** The task or turn that occupies the agent under this session key. */
  occupantIn(agentId: string, sessionKey: string): Occupant | undefined
  /** Forgets a conversation without waiting or running messages. */
  tidy(agentId: string, sessionKey: string): void
  /** Ends the agent's work. Starts nothing until `resume` has been called as often as `pause`. */
  pause(agentId: string): Promise<void>
  /** `isGone`: the agent was removed, so its conversations are dropped. */
  resume(agentId: string, isGone: boolean): void
  close(): Promise<void>
}

export function createAgentLanes(
  driverOf: (
    agent: AgentRecord,
    sessionKey: string,
    own: { readonly lane: () => ConversationLane; readonly slot: Pick<LaneDriver, 'isFree' | 'reserve' | 'release'> },
  ) => LaneDriver,
): AgentLanes {
  const lanes = createLaneMap()
  const workers = createWorkers((agentId, from) => {
    for (const other of lanes.of(agentId)) if (other !== from) other.poke()
  })
  /** The number of pauses of each agent that have not been resumed. */
  const paused = new Map<string, number>()
  let closed = false

  const makeLane = (agent: AgentRecord, sessionKey: string) => {
    const slot = {
      isFree: () => (workers.of(agent.id) ?? lane) === lane,
      reserve: () => workers.set(agent, lane),
      release() {
        workers.free(agent.id, lane)
        setImmediate(() => lanes.tidy(agent.id, sessionKey))
      },
    }
    const driver = driverOf(agent, sessionKey, { lane: () => lane, slot })
    const lane: ConversationLane = new ConversationLane(driver, resolveQueueSettings({}))
    // A send that began before the pause may still arrive; its message waits.
    if (closed) void lane.close('server_stopping')
    else if (paused.has(agent.id)) void lane.close('agent_removed')
    return lane
  }

  return {
    of: (agent, sessionKey) =>
      lanes.find(agent.id, sessionKey) ?? lanes.add(agent.id, sessionKey, makeLane(agent, sessionKey)),
    find: lanes.find,
    occupantIn: (id, sessionKey) =>
      workers.occupants().find(({ agentId, occupant }) => agentId === id && occupant.sessionKey === sessionKey)
        ?.occupant,
    tidy: lanes.tidy,
    occupy(agent, occupant) {
      if (closed || paused.has(agent.id) || workers.of(agent.id)) return null
      workers.set(agent, occupant)
      return () => {
        if (workers.of(agent.id) === occupant) workers.free(agent.id, occupant)
      }
    },
    onFree: workers.onFree,
    live: workers.live,
    async pause(agentId) {
      paused.set(agentId, (paused.get(agentId) ?? 0) + 1)
      const others = workers.occupants().filter((one) => one.agentId === agentId)
      await Promise.all([
        ...lanes.of(agentId).map((lane) => lane.close('agent_removed')),
        ...others.map(({ occupant }) => occupant.stop('agent_removed')),
      ])
    },
    resume(agentId, isGone) {
      if (isGone) lanes.remove(agentId)
      const left = (paused.get(agentId) ?? 1) - 1
      if (left > 0) paused.set(agentId, left)
      else paused.delete(agentId)
      if (left === 0 && !closed) for (const lane of lanes.of(agentId)) lane.reopen()
    },
    async close() {
      closed = true
      await Promise.all([
        ...lanes.all().map((lane) => lane.close('server_stopping')),
        ...workers.occupants().map(({ occupant }) => occupant.stop('server_stopping')),
      ])
    },
  }
}

/** The lanes by agent and session key. */
function createLaneMap() {
  const lanes = new Map<string, Map<string, ConversationLane>>()
  return {
    of: (agentId: string) => [...(lanes.get(agentId)?.values() ?? [])],
    all: () => [...lanes.values()].flatMap((ofAgent) => [...ofAgent.values()]),
    find: (agentId: string, sessionKey: string) => lanes.get(agentId)?.get(sessionKey),
    add(agentId: string, sessionKey: string, lane: ConversationLane): ConversationLane {
      lanes.set(agentId, (lanes.get(agentId) ?? new Map<string, ConversationLane>()).set(sessionKey, lane))
      return lane
    },
    /** Removes a lane without waiting or running messages. */
    tidy(agentId: string, sessionKey: string): void {
      const ofAgent = lanes.get(agentId)
      if (ofAgent?.get(sessionKey)?.isQuiet) ofAgent.delete(sessionKey)
      if (ofAgent?.size === 0) lanes.delete(agentId)
    },
    remove: (agentId: string) => void lanes.delete(agentId),
  }
}

type Worker = ConversationLane | Occupant

/** The lane or occupant that occupies each agent, from before its run exists. Calls `onFree` before the listeners. */
function createWorkers(onFree: (agentId: string, from: Worker) => void) {
  const workers = new Map<string, { readonly worker: Worker; readonly runtime: string }>()
  const listeners = new Set<() => void>()
  return {
    of: (agentId: string) => workers.get(agentId)?.worker,
    set(agent: Pick<AgentRecord, 'id' | 'runtime'>, worker: Worker): void {
      workers.set(agent.id, { worker, runtime: agent.runtime })
    },
    free(agentId: string, from: Worker): void {
      workers.delete(agentId)
      onFree(agentId, from)
      for (const listener of listeners) listener()
    },
    /** The occupants, such as tasks and turns, without the conversations. */
    occupants: () =>
      [...workers].flatMap(([agentId, { worker }]) =>
        worker instanceof ConversationLane ? [] : [{ agentId, occupant: worker }],
      ),
    live: (): LiveRun[] => [...workers].map(([agentId, { runtime }]) => ({ agentId, runtime })),
    onFree(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
