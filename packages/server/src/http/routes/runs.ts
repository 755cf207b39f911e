import type { Conversations } from '../../executor/conversations/conversations.ts'
import type { Limits } from '../../executor/limits/limits.ts'
import type { Runs } from '../../executor/run/runs.ts'
import type { Handlers } from '../app.ts'

const RUNS_PER_PAGE = 50

export function runRoutes({ runs, conversations }: { runs: Runs; conversations: Conversations }) {
  return {
    listRuns: ({ query: { limit = RUNS_PER_PAGE, ...filter } }) => runs.list({ ...filter, limit }),
    getRun: ({ params }) => runs.get(params.runId),
    stopRun: ({ params }) => conversations.stopRun(params.runId),
  } satisfies Partial<Handlers>
}

export function limitRoutes({ limits }: { limits: Limits }) {
  return {
    getLimits: () => limits.overview(),
    async setLimits({ body }) {
      await limits.write(body)
      return limits.overview()
    },
  } satisfies Partial<Handlers>
}
