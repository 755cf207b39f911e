import type { ConversationReading, ConversationSettings, RunDetail } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import type { RunStreams } from '../run/run-streams.ts'
import { readBeginning } from './begin-anew.ts'
import { messageRecord } from './messages.ts'

const QUEUED_SHOWN = 200

/** The newest runs of a conversation with all they told, oldest first, and what still waits. */
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
  // Before the store is read: a run that ends meanwhile is then found there with all it told.
  const live = activeRunId === null ? null : streams.entriesOf(activeRunId)
  const [newestFirst, queued, begunAnew] = await Promise.all([
    store.runs.list({ agentId, sessionKey, limit: limit + 1, ...before }),
    store.messages.list(agentId, { sessionKey, state: 'queued', limit: QUEUED_SHOWN }),
    readBeginning(store, agentId, sessionKey),
  ])
  const runs = newestFirst.slice(0, limit).reverse()
  const entries = await store.runs.entries(runs.map(({ id }) => id))
  const details = runs.map((run): RunDetail => {
    const told = run.id === activeRunId && run.state === 'running' && live ? live : entries.get(run.id)!
    return { run, entries: told }
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
