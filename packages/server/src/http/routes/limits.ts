import type { Limits } from '../../executor/limits/limits.ts'
import type { Handlers } from '../app.ts'

export function limitRoutes({ limits }: { limits: Limits }) {
  return {
    getLimits: () => limits.overview(),
    async setLimits({ body }) {
      await limits.write(body)
      return limits.overview()
    },
  } satisfies Partial<Handlers>
}
