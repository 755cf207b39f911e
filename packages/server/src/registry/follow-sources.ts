import type { AgentEvent, AgentRegistry, AgentSource, RuntimeId, SourceRecords } from '@clawboo/core/registry'
import type { Log } from '../log.ts'
import type { RecordChange } from './record-change.ts'

export interface FollowSourcesParts {
  readonly registry: AgentRegistry
  readonly record: RecordChange
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  /** Whether this server runs the agent now: then its own record of the run says how the agent is. */
  readonly isRunning: (agentId: string) => boolean
  readonly log: Log
}

/**
 * Starts every source and records what only the source can know. A change of agents is not among it: the source records
 * that itself, together with the rows.
 */
export async function followSources(parts: FollowSourcesParts): Promise<() => Promise<void>> {
  const { registry, log } = parts
  const sources = registry.list()
  const following = sources.map((source) => follow(source, parts))
  await Promise.all(
    sources.map((source) =>
      source.start().catch((error: unknown) => log.error('a source did not start', { source: source.id, error })),
    ),
  )
  return async () => {
    await Promise.allSettled(sources.map((source) => source.stop()))
    await Promise.all(following)
  }
}

async function follow(source: AgentSource, parts: FollowSourcesParts): Promise<void> {
  for await (const event of source.events()) {
    await recordEvent(event, parts).catch((error: unknown) =>
      parts.log.error('an event of a source was not recorded', { source: source.id, type: event.type, error }),
    )
  }
}

async function recordEvent(event: AgentEvent, { record, recordsOf, isRunning }: FollowSourcesParts): Promise<void> {
  const { sourceId } = event
  switch (event.type) {
    case 'connection':
      return record({ action: 'source.connection', subject: sourceId, actor: `source:${sourceId}` }, async () => ({
        result: undefined,
        events: [{ type: 'source-status', sourceId }],
        detail: { state: event.state },
      }))
    case 'agent-status':
      if (!isRunning(event.agentId)) await recordsOf(sourceId).setStatus(event.agentId, event.status)
  }
}
