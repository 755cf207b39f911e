import { resolveQueueSettings } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { ConversationLane } from './conversation-lane.ts'
import type { LaneDriver } from './lane-driver.ts'

/** The conversations that something waits or runs in, and which of them each agent works in. */
export interface AgentLanes {
  of(agent: AgentRecord, sessionKey: string): ConversationLane
  find(agentId: string, sessionKey: string): ConversationLane | undefined
  ofRun(runId: string): ConversationLane | undefined
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
  /** The conversation that each agent works in, from before its run exists. */
  const workers = new Map<string, ConversationLane>()
  /** How often each agent is held. */
  const held = new Map<string, number>()
  let closed = false

  const lanesOf = (agentId: string) => [...(lanes.get(agentId)?.values() ?? [])]
  const tidy = (agentId: string, sessionKey: string) => {
    const ofAgent = lanes.get(agentId)
    if (ofAgent?.get(sessionKey)?.isQuiet) ofAgent.delete(sessionKey)
    if (ofAgent?.size === 0) lanes.delete(agentId)
  }
  const makeLane = (agent: AgentRecord, sessionKey: string) => {
    const lane: ConversationLane = new ConversationLane(
      driverOf(agent, sessionKey, {
        lane: () => lane,
        hold: {
          isFree: () => (workers.get(agent.id) ?? lane) === lane,
          take: () => void workers.set(agent.id, lane),
          letGo() {
            workers.delete(agent.id)
            for (const other of lanesOf(agent.id)) if (other !== lane) other.poke()
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
    ofRun: (runId) => [...lanes.keys()].flatMap(lanesOf).find((lane) => lane.active?.runId === runId),
    get isEmpty() {
      return lanes.size === 0
    },
    tidy,
    async hold(agentId) {
      held.set(agentId, (held.get(agentId) ?? 0) + 1)
      await Promise.all(lanesOf(agentId).map((lane) => lane.close('agent_removed')))
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
      await Promise.all([...lanes.keys()].flatMap(lanesOf).map((lane) => lane.close('server_stopping')))
    },
  }
}
