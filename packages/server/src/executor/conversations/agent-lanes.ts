import type { LiveRun } from '@clawboo/core/board'
import { type RunReason, resolveQueueSettings } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { RunningTurn } from '../run/drain-run.ts'
import { ConversationLane } from './conversation-lane.ts'
import type { LaneDriver } from './lane-driver.ts'

/** Who keeps an agent at work with something that nobody said to it, such as a task. */
export interface Occupant {
  readonly sessionKey: string
  /** null until its run exists. */
  readonly active: { readonly runId: string; readonly running: RunningTurn } | null
  /** Resolves when the agent is free again. */
  stop(reason: RunReason): Promise<void>
}

/** An agent is at work in one place at a time, over conversations and everything else. */
export interface AgentSlots {
  /** Takes a free agent, until the answer is called. null = it is at work, is being removed, or the server stops. */
  occupy(agent: Pick<AgentRecord, 'id' | 'runtime'>, occupant: Occupant): (() => void) | null
  /** Called after each time an agent became free. */
  onFree(listener: () => void): () => void
  /** Who is at work, from before a run exists. */
  live(): LiveRun[]
}

/** The conversations that something waits or runs in, and which of them each agent works in. */
export interface AgentLanes extends AgentSlots {
  of(agent: AgentRecord, sessionKey: string): ConversationLane
  find(agentId: string, sessionKey: string): ConversationLane | undefined
  ofRun(runId: string): ConversationLane | Occupant | undefined
  /** Who else keeps the agent at work in this very conversation. */
  occupantIn(agentId: string, sessionKey: string): Occupant | undefined
  readonly isEmpty: boolean
  /** Forgets a conversation in which nothing waits or runs. */
  tidy(agentId: string, sessionKey: string): void
  /** Ends what the agent does, and starts nothing until as many `release` as `hold` were called. */
  hold(agentId: string): Promise<void>
  /** `isGone`: nothing of it is needed any more. */
  release(agentId: string, isGone: boolean): void
  close(): Promise<void>
}

export function createAgentLanes(
  driverOf: (
    agent: AgentRecord,
    sessionKey: string,
    own: { readonly lane: () => ConversationLane; readonly hold: Pick<LaneDriver, 'isFree' | 'take' | 'letGo'> },
  ) => LaneDriver,
): AgentLanes {
  const lanes = new Map<string, Map<string, ConversationLane>>()
  /** What each agent works in, from before its run exists. */
  const workers = new Map<string, { readonly in: ConversationLane | Occupant; readonly runtime: string }>()
  const freed = new Set<() => void>()
  /** How often each agent is held. */
  const held = new Map<string, number>()
  let closed = false

  const lanesOf = (agentId: string) => [...(lanes.get(agentId)?.values() ?? [])]
  const tidy = (agentId: string, sessionKey: string) => {
    const ofAgent = lanes.get(agentId)
    if (ofAgent?.get(sessionKey)?.isQuiet) ofAgent.delete(sessionKey)
    if (ofAgent?.size === 0) lanes.delete(agentId)
  }
  const occupants = () =>
    [...workers].flatMap(([agentId, { in: holder }]) =>
      holder instanceof ConversationLane ? [] : [{ agentId, occupant: holder }],
    )
  const letGo = (agentId: string, holder: ConversationLane | Occupant) => {
    workers.delete(agentId)
    for (const other of lanesOf(agentId)) if (other !== holder) other.poke()
    for (const listener of freed) listener()
  }
  const makeLane = (agent: AgentRecord, sessionKey: string) => {
    const lane: ConversationLane = new ConversationLane(
      driverOf(agent, sessionKey, {
        lane: () => lane,
        hold: {
          isFree: () => (workers.get(agent.id)?.in ?? lane) === lane,
          take: () => void workers.set(agent.id, { in: lane, runtime: agent.runtime }),
          letGo() {
            letGo(agent.id, lane)
            setImmediate(() => tidy(agent.id, sessionKey))
          },
        },
      }),
      resolveQueueSettings({}),
    )
    // For a send that began before: what it brings waits.
    if (closed) void lane.close('server_stopping')
    else if (held.has(agent.id)) void lane.close('agent_removed')
    return lane
  }

  return {
    of(agent, sessionKey) {
      const ofAgent = lanes.get(agent.id) ?? new Map<string, ConversationLane>()
      const lane = ofAgent.get(sessionKey) ?? makeLane(agent, sessionKey)
      lanes.set(agent.id, ofAgent.set(sessionKey, lane))
      return lane
    },
    find: (agentId, sessionKey) => lanes.get(agentId)?.get(sessionKey),
    ofRun: (runId) =>
      [...lanes.keys()].flatMap(lanesOf).find((lane) => lane.active?.runId === runId) ??
      occupants().find(({ occupant }) => occupant.active?.runId === runId)?.occupant,
    occupantIn: (id, sessionKey) =>
      occupants().find(({ agentId, occupant }) => agentId === id && occupant.sessionKey === sessionKey)?.occupant,
    get isEmpty() {
      return lanes.size === 0 && workers.size === 0
    },
    tidy,
    occupy(agent, occupant) {
      if (closed || held.has(agent.id) || workers.has(agent.id)) return null
      workers.set(agent.id, { in: occupant, runtime: agent.runtime })
      return () => {
        if (workers.get(agent.id)?.in === occupant) letGo(agent.id, occupant)
      }
    },
    onFree(listener) {
      freed.add(listener)
      return () => freed.delete(listener)
    },
    live: () => [...workers].map(([agentId, { runtime }]) => ({ agentId, runtime })),
    async hold(agentId) {
      held.set(agentId, (held.get(agentId) ?? 0) + 1)
      const others = occupants().filter((one) => one.agentId === agentId)
      await Promise.all([
        ...lanesOf(agentId).map((lane) => lane.close('agent_removed')),
        ...others.map(({ occupant }) => occupant.stop('agent_removed')),
      ])
    },
    release(agentId, isGone) {
      if (isGone) lanes.delete(agentId)
      const left = (held.get(agentId) ?? 1) - 1
      if (left > 0) held.set(agentId, left)
      else held.delete(agentId)
      if (left === 0 && !closed) for (const lane of lanesOf(agentId)) lane.reopen()
    },
    async close() {
      closed = true
      await Promise.all([
        ...[...lanes.keys()].flatMap(lanesOf).map((lane) => lane.close('server_stopping')),
        ...occupants().map(({ occupant }) => occupant.stop('server_stopping')),
      ])
    },
  }
}
