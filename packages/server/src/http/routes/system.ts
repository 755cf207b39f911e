import { ClawbooError } from '@clawboo/core'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { EventFeed } from '../../live/event-feed.ts'
import type { EventLog } from '../../live/event-log.ts'
import type { Handlers } from '../app.ts'

export interface SystemRouteDependencies {
  readonly identity: {
    readonly version: string
    readonly instance: string
    readonly startedAt: number
    readonly home: string
  }
  readonly counts: () => Promise<{
    readonly agents: number
    readonly teams: number
    readonly engine: 'sqlite' | 'postgres'
  }>
  readonly confinement: () => Promise<
    { readonly isOn: true } | { readonly isOn: false; readonly reason: string; readonly fix: string | null }
  >
  readonly log: EventLog
  readonly feed: EventFeed
}

export function systemRoutes({ identity, counts, confinement, log, feed }: SystemRouteDependencies) {
  let document: string | null = null
  return {
    checkHealth: async () => ({ ok: true as const, version: identity.version, instance: identity.instance }),
    async getStatus() {
      const [counted, lastSeq, confined] = await Promise.all([counts(), log.lastSeq(), confinement()])
      return {
        ...identity,
        ...counted,
        readers: feed.readerCount,
        lastEventId: String(lastSeq),
        confinement: confined.isOn ? { isOn: true, reason: null, fix: null } : confined,
      }
    },
    async getOpenApi({ context }) {
      if (document === null) {
        const { buildOpenApi } = await import('@clawboo/api/openapi')
        document = JSON.stringify(buildOpenApi({ version: identity.version }))
      }
      return context.body(document, 200, { 'content-type': 'application/json', 'cache-control': 'no-cache' })
    },
    async followEvents({ query, incoming, outgoing }) {
      if (incoming.method === 'HEAD') throw new ClawbooError('method_not_allowed', 'a feed has no HEAD response')
      const header = incoming.headers['last-event-id']
      await feed.follow(outgoing, readCursor(typeof header === 'string' && header !== '' ? header : query.after))
      return RESPONSE_ALREADY_SENT
    },
  } satisfies Partial<Handlers>
}

function readCursor(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,15}$/.test(text))
    throw new ClawbooError('request_invalid', 'the last event id is not valid for this server', {
      details: { field: 'after' },
    })
  return Number(text)
}
