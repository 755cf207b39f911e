import type { AgentRegistry, AgentSource } from '@clawboo/core/registry'
import type { Log } from '../log.ts'
import type { RecordChange } from './record-change.ts'

/**
 * Starts every source and listens to it. A source records its agents' changes itself, in the same transaction; this
 * function records the connection, which only the source knows.
 */
export async function followSources(
  registry: AgentRegistry,
  record: RecordChange,
  log: Log,
): Promise<() => Promise<void>> {
  const sources = registry.list()
  const following = sources.map((source) => follow(source, record, log))
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

async function follow(source: AgentSource, record: RecordChange, log: Log): Promise<void> {
  try {
    for await (const event of source.events()) {
      if (event.type !== 'connection') continue
      await record({ action: 'source.connection', subject: source.id, actor: `source:${source.id}` }, async () => ({
        result: undefined,
        events: [{ type: 'source-status', sourceId: source.id }],
        detail: { state: event.state },
      }))
    }
  } catch (error) {
    log.error('a source can no longer be followed', { source: source.id, error })
  }
}
