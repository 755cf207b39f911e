import { ClawbooError } from '@clawboo/core'
import type { AgentRegistry, ParticipantKind } from '@clawboo/core/registry'
import type { Fleet } from '../../registry/fleet.ts'
import type { Handlers } from '../operation-handler.ts'

export interface RuntimeInfo {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly participantKind: ParticipantKind
}

export function sourceRoutes({
  registry,
  fleet,
  runtimes,
}: {
  registry: AgentRegistry
  fleet: Fleet
  runtimes: readonly RuntimeInfo[]
}) {
  return {
    listSources: async () => ({ sources: await fleet.sources() }),
    async syncSource({ params }) {
      const source = registry.get(params.sourceId)
      if (!source)
        throw new ClawbooError('source_not_found', `there is no source "${params.sourceId}"`, {
          details: { sourceId: params.sourceId },
        })
      return source.sync()
    },
    listRuntimes: async () => ({ runtimes: [...runtimes] }),
  } satisfies Partial<Handlers>
}
