import type { Store } from '../store/open-store.ts'
import { currentActor } from './actor.ts'

export type Audit = ReturnType<typeof createAudit>

export interface AuditEntry {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly runId: string | null
  readonly detail: unknown
}

/**
 * Records who did what. A registry change writes its entry in its own transaction; this interface is for everything
 * else.
 */
export function createAudit(store: Store, now: () => number = Date.now) {
  return {
    async record(action: string, subject: string, detail: unknown = null) {
      const actor = currentActor()
      await store.audit.append({
        at: now(),
        actor: actor?.name ?? 'server',
        action,
        subject,
        runId: actor?.runId ?? null,
        detail,
      })
    },
    list: (page: { readonly limit: number; readonly before?: string }) => store.audit.list(page),
  }
}
