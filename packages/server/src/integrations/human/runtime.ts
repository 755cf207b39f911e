import { ClawbooError } from '@clawboo/core'
import { NO_CAPABILITIES, type RuntimeAdapter } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { HUMAN_ID } from './human-id.ts'
import { PersonRun } from './person-run.ts'

/** A run is an item for a person. It lasts until the person completes or refuses it. */
export function createPersonRuntime(host: Pick<IntegrationHost, 'desk' | 'now'>): RuntimeAdapter {
  const runs = new Map<string, PersonRun>()
  let isDisposed = false
  return {
    id: HUMAN_ID,
    participantKind: 'human',
    capabilities: () => NO_CAPABILITIES,
    health: async () =>
      host.desk && !isDisposed
        ? { state: 'ready', detail: null }
        : { state: 'unavailable', detail: 'Nobody can be asked here.' },
    async start({ agent, prompt }, { runId, model }) {
      if (isDisposed || !host.desk) throw new ClawbooError('agent_cannot_run', 'nobody can be asked here')
      if (model !== undefined)
        throw new ClawbooError('model_unknown', `a person runs on no model, so not on "${model}" either`, {
          details: { model },
        })
      const run = new PersonRun({ desk: host.desk, person: agent, runId, prompt, now: host.now })
      runs.set(runId, run)
      void run.ended.then(() => runs.delete(runId))
      return { runId, sessionId: null }
    },
    events({ runId }) {
      const run = runs.get(runId)
      if (!run) throw new TypeError(`there is no run "${runId}"`)
      return run.events
    },
    abort: async ({ runId }) => runs.get(runId)?.interrupt(null),
    async dispose() {
      isDisposed = true
      await Promise.all([...runs.values()].map((run) => run.interrupt('server_stopping')))
    },
  }
}
