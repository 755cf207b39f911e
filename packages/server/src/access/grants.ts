import { createHash, randomBytes } from 'node:crypto'
import type { Store } from '../store/open-store.ts'
import type { FoundGrant, GrantBinding, GrantsOf } from '../store/repositories/runs/grants-repository.ts'
import { createAttemptLimit } from './attempt-limit.ts'

export type { GrantBinding }

/** A valid grant. */
export interface LiveGrant extends GrantBinding {
  readonly id: string
}

/** The reason that a grant is invalid. `unknown` includes text that was never a grant. */
type DeadGrant =
  | 'unknown'
  | 'revoked'
  | 'run_ended'
  | 'agent_archived'
  /** Issued before a restart or a rotation of the token, or by another server. */
  | 'earlier_server'

type GrantCheck =
  | { readonly state: 'live'; readonly grant: LiveGrant }
  | { readonly state: 'dead'; readonly because: DeadGrant; readonly grant: LiveGrant | null }
  /** Valid, but out of requests for now. */
  | { readonly state: 'spent'; readonly grant: LiveGrant }

/**
 * The credentials of runs. A grant acts for one run and one agent. It is valid only while that run is active, its agent
 * is not archived, and the server that issued it runs under the same operator token.
 */
export interface Grants {
  /** Only the returned value contains the secret. */
  issue(binding: GrantBinding): Promise<{ readonly id: string; readonly secret: string }>
  /** Checks the grant and counts one request against it. */
  use(secret: string): Promise<GrantCheck>
  /**
   * Revokes grants that must end before their run, such as those of a released task. Resolves to how many were still
   * valid.
   */
  revoke(which: Exclude<GrantsOf, { issuer: string }>, because: string): Promise<number>
  /** Every grant is invalid as soon as this returns; the stored rows are updated a little later. */
  revokeAll(because: string): Promise<number>
  /** Records a refused credential without its secret. Stops recording the same credential after a limit. */
  recordRefusal(refusal: GrantRefusal): Promise<void>
}

interface GrantRefusal {
  /** Null when the credential was never a grant. `id` is absent when only the run is known. */
  readonly grant: (Pick<LiveGrant, 'runId' | 'agentId'> & { readonly id?: string }) | null
  readonly because: string
  /** The method and path without the query, or the name of a tool. */
  readonly at: string
}

const PREFIX = 'clawboo_grant_'
const SECRET = new RegExp(`^${PREFIX}[\\w-]{43}$`)

/** A burst, then one request every quarter of a second: more than any agent needs, but not a flood. */
const REQUESTS = { burst: 240, refillMs: 250 }
const REFUSALS = { burst: 100, refillMs: 10_000 }

/** Checks the format only, not whether the grant is valid. */
export function looksLikeGrant(text: string): boolean {
  return text.startsWith(PREFIX)
}

export function createGrants(store: Store, now: () => number = Date.now): Grants {
  // A new issuer at every start and rotation, so that no earlier row can match, even if revoking it failed.
  let issuer = newIssuer()
  const requests = createAttemptLimit({ ...REQUESTS, now })
  const refusals = createAttemptLimit({ ...REFUSALS, now })

  return {
    async issue(binding) {
      const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`
      const { runId, agentId, teamId, roomId, taskId, tools } = binding
      const kept = { runId, agentId, teamId, roomId, taskId, tools, hash: hashOf(secret), issuer, createdAt: now() }
      const { id } = await store.transaction(async (tx) => {
        const grant = await tx.grants.insert(kept)
        const detail = { agentId, teamId, roomId, taskId, tools }
        await tx.audit.append({ at: now(), actor: 'server', action: 'grant.issue', subject: grant.id, runId, detail })
        return grant
      })
      return { id, secret }
    },

    async use(secret) {
      const found = SECRET.test(secret) ? await store.grants.findByHash(hashOf(secret)) : null
      const because = found ? deadBecause(found, issuer) : 'unknown'
      const grant = found && liveGrant(found)
      if (because !== null || grant === null) return { state: 'dead', because: because ?? 'unknown', grant }
      return { state: requests.take(grant.id) ? 'live' : 'spent', grant }
    },

    revoke: (which, because) => store.grants.revoke(which, { at: now(), because }),

    revokeAll(because) {
      const before = issuer
      issuer = newIssuer()
      return store.grants.revoke({ issuer: before }, { at: now(), because })
    },

    async recordRefusal({ grant, because, at }) {
      const subject = grant?.id ?? grant?.runId ?? 'unknown'
      if (!refusals.take(subject)) return
      await store.audit.append({
        at: now(),
        actor: grant ? `agent:${grant.agentId}` : 'unknown',
        action: 'grant.refuse',
        subject,
        runId: grant?.runId ?? null,
        detail: { because, at: at.slice(0, 200) },
      })
    },
  }
}

function deadBecause(grant: FoundGrant, issuer: string): DeadGrant | null {
  if (grant.issuer !== issuer) return 'earlier_server'
  if (grant.revokedAt !== null) return 'revoked'
  if (!grant.runIsUnderWay) return 'run_ended'
  return grant.agentIsArchived ? 'agent_archived' : null
}

function liveGrant({ id, runId, agentId, teamId, roomId, taskId, tools }: FoundGrant): LiveGrant {
  return { id, runId, agentId, teamId, roomId, taskId, tools }
}

/** Grants are looked up by hash, so the duration of a look-up reveals nothing about the secret. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function newIssuer(): string {
  return randomBytes(12).toString('hex')
}
