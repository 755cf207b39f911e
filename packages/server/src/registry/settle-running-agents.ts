import type { LiveEvent } from '@clawboo/api'
import type { RecordChange } from './record-change.ts'

/** For a server that starts: whoever ran these agents is gone, so what they do now is unknown since they were last seen. */
export function settleRunningAgents(record: RecordChange): Promise<void> {
  return record({ action: 'agent.settle', subject: 'fleet', actor: 'server' }, async (tx) => {
    const running = (await tx.agents.listAll()).filter((agent) => agent.status === 'running')
    if (running.length > 0) await tx.agents.markRunningAsUnknown()
    const events = running.map(
      ({ id, statusAt }): LiveEvent => ({ type: 'agent-status', agentId: id, status: 'unknown', statusAt }),
    )
    return { result: undefined, events, detail: { agents: running.length } }
  })
}
