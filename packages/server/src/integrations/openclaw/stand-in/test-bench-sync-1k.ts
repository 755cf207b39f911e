import type { UpstreamAgent } from '@clawboo/core/registry'
import type { Benchmark } from '../../../../../../bench/harness.ts'
import { sql } from '../../../store/sql.ts'
import { openTestHost } from '../../test-host.ts'
import { OPENCLAW_ID } from '../descriptor.ts'
import { readUpstreamList } from '../upstream-agents.ts'

const AGENTS = 1_000
const SYNCS = 20

/**
 * A sync of 1,000 unchanged agents, measured from the Gateway's answer, compared with selecting and comparing the
 * rows.
 */
export const sync1k: Benchmark = {
  name: 'openclaw-sync-1k',
  unit: 'ms a sync',
  bound: { atMost: 3 },
  rounds: 15,
  async open() {
    const { host, store, dispose } = await openTestHost(OPENCLAW_ID)
    const row = (n: number) => ({ id: `boo-${n}`, name: `Boo ${n}`, identity: { name: `Boo ${n}`, emoji: '🌿' } })
    const answer = { defaultId: 'boo-0', mainKey: 'main', agents: Array.from({ length: AGENTS }, (_, n) => row(n)) }
    let ids = 0
    const newId = (id: string) => `${OPENCLAW_ID}-${id}-${++ids}`
    const sync = () => {
      const { agents, mainKey } = readUpstreamList(answer)
      return host.records.reconcile({ agents, mainKey, newId })
    }
    await sync()
    const { agents } = readUpstreamList(answer)
    const wanted = new Map(agents.map((agent) => [agent.sourceAgentId, agent]))
    const selectAndCompare = async () => {
      const rows = await store.db.all<BareRow>(
        sql`SELECT source_agent_id, name, emoji, avatar_url, session_key, is_default FROM agents WHERE source_id = ${OPENCLAW_ID}`,
      )
      return rows.filter((one) => !isSame(one, wanted.get(one.sourceAgentId))).length
    }
    return {
      value: () => timed(async () => (await sync()).updated),
      baseline: () => timed(selectAndCompare),
      close: dispose,
    }
  },
}

interface BareRow {
  readonly sourceAgentId: string
  readonly name: string | null
  readonly emoji: string | null
  readonly avatarUrl: string | null
  readonly sessionKey: string | null
  readonly isDefault: unknown
}

function isSame(row: BareRow, agent: UpstreamAgent | undefined): boolean {
  return (
    agent !== undefined &&
    row.name === agent.name &&
    row.emoji === agent.emoji &&
    row.avatarUrl === agent.avatarUrl &&
    row.sessionKey === agent.sessionKey &&
    Boolean(row.isDefault) === agent.isDefault
  )
}

/** `work` returns the number of rows that differ, which must be zero. */
async function timed(work: () => Promise<number>): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < SYNCS; n++) if ((await work()) !== 0) throw new Error('an unchanged agent was found changed')
  return (performance.now() - start) / SYNCS
}
