import type { ConversationReading, ConversationSettings, RunDetail } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import type { RunStreams } from '../run/run-streams.ts'
import { readBeginning } from './begin-anew.ts'
import { messageRecord } from './messages.ts'

const QUEUED_SHOWN = 200

/** The newest runs of a conversation with their entries, oldest first, and the waiting messages. */
export async function readConversation(
  { store, streams }: { readonly store: Store; readonly streams: RunStreams },
  page: {
    readonly agentId: string
    readonly sessionKey: string
    readonly settings: ConversationSettings
    readonly activeRunId: string | null
    readonly before?: string
    readonly limit: number
  },
): Promise<ConversationReading> {
  const { agentId, sessionKey, settings, activeRunId, limit } = page
  const before = page.before === undefined ? {} : { before: page.before }
  // Read before the store: a run that ends in between is then complete in the store.
  const live = activeRunId === null ? null : streams.entriesOf(activeRunId)
  const [newestFirst, queued, begunAnew] = await Promise.all([
    store.runs.list({ agentId, sessionKey, limit: limit + 1, ...before }),
    store.messages.list(agentId, { sessionKey, state: 'queued', limit: QUEUED_SHOWN }),
    readBeginning(store, agentId, sessionKey),
  ])
  const runs = newestFirst.slice(0, limit).reverse()
  const entries = await store.runs.entries(runs.map(({ id }) => id))
  const details = runs.map((run): RunDetail => {
    const isLive = run.id === activeRunId && run.state === 'running'
    return { run, entries: isLive && live ? live : entries.get(run.id)! }
  })
  return {
    sessionKey,
    activeRunId,
    runs: details,
    queued: queued.map(messageRecord),
    settings,
    begunAnew,
    hasMore: newestFirst.length > limit,
  }
}
