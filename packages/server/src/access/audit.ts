import type { Store } from '../store/open-store.ts'
import { currentActor } from './actor.ts'

/**
 * Records who did what. A registry change writes its entry in its own transaction; this interface is for everything
 * else.
 */
export interface Audit {
  record(action: string, subject: string, detail?: unknown): Promise<void>
  list(page: { readonly limit: number; readonly before?: string }): Promise<AuditEntry[]>
}

export interface AuditEntry {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly runId: string | null
  readonly detail: unknown
}

export function createAudit(store: Store, now: () => number = Date.now): Audit {
  return {
    async record(action, subject, detail = null) {
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
    list: (page) => store.audit.list(page),
  }
}
