import type { AgentEvent } from '@clawboo/core/registry'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import { type GatewayFrame, object, text } from './gateway/gateway-frames.ts'

export type OutsideStatus = Extract<AgentEvent, { type: 'agent-status' }>['status']

interface Options {
  /** True for a session in which this server runs the agent, because the run's own record already shows it. */
  readonly isOurs: (sessionKey: string) => boolean
  readonly onStatus: (sourceAgentId: string, status: OutsideStatus) => void
}

/**
 * Reports when agents of the Gateway start and finish work that this server did not start, such as an answer in a chat
 * app.
 */
export function followOutsideWork(
  gateway: GatewayConnection,
  { isOurs, onStatus }: Options,
): { start(): void; stop(): void } {
  /** The active runs, by agent. */
  const running = new Map<string, Set<string>>()
  let stops: (() => void)[] = []

  const begin = (sourceAgentId: string, runId: string) => {
    const runs = running.get(sourceAgentId) ?? new Set()
    running.set(sourceAgentId, runs.add(runId))
    if (runs.size === 1) onStatus(sourceAgentId, 'running')
  }
  const end = (sourceAgentId: string, runId: string, status: OutsideStatus) => {
    const runs = running.get(sourceAgentId)
    if (!runs?.delete(runId) || runs.size > 0) return
    running.delete(sourceAgentId)
    onStatus(sourceAgentId, status)
  }
  const onFrame = (frame: GatewayFrame) => {
    const change = phaseOf(frame)
    if (!change) return
    const { phase, runId, sourceAgentId } = change
    if (phase === 'start' && !isOurs(change.sessionKey)) begin(sourceAgentId, runId)
    else if (phase === 'end') end(sourceAgentId, runId, 'idle')
    else if (phase === 'error') end(sourceAgentId, runId, 'error')
  }
  /** The end of a run may be lost with the connection, so every agent is reported as finished. */
  const forget = () => {
    const working = [...running.keys()]
    running.clear()
    for (const sourceAgentId of working) onStatus(sourceAgentId, 'idle')
  }
  return {
    start() {
      stops = [gateway.onFrame(onFrame), gateway.onChange(({ state }) => state !== 'connected' && forget())]
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}

function phaseOf({ event, payload }: GatewayFrame) {
  const { stream, data, runId, sessionKey } = object(payload)
  if (event !== 'agent' || stream !== 'lifecycle') return null
  const sourceAgentId = /^agent:([^:]+):/.exec(text(sessionKey))?.[1]
  if (sourceAgentId === undefined || text(runId) === '') return null
  return { phase: text(object(data).phase), runId: text(runId), sessionKey: text(sessionKey), sourceAgentId }
}
