import { toNanos } from '../../dollars.ts'
import { readRecords, rowDecoder } from '../../read-records.ts'
import { type Db, list, rows, sql } from '../../sql.ts'

export interface Spent {
  readonly usd: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly modelCalls: number
}

interface ScopeSpend extends Spent {
  readonly scope: SpendScope
}

/** `server`, `agent:<id>` or `team:<id>`. */
export type SpendScope = 'server' | `agent:${string}` | `team:${string}`

/** The spending of each day and scope. It stays when the agent or the team is removed. */
export function createSpendRepository(db: Db) {
  const { all } = readRecords(db, scopeSpend)
  return {
    /** Adds the same amounts to every scope, in one statement. */
    add: async (day: string, scopes: readonly SpendScope[], { usd, inputTokens, outputTokens, modelCalls }: Spent) => {
      // Sorted, because two writers that lock the rows in different orders would wait for each other.
      const tuples = [...new Set(scopes)]
        .sort()
        .map((scope) => [day, scope, toNanos(usd), inputTokens, outputTokens, modelCalls])
      await db.run(sql`INSERT INTO spend (day, scope, usd_nanos, input_tokens, output_tokens, model_calls)
        VALUES ${rows(tuples)}
        ON CONFLICT (day, scope) DO UPDATE SET usd_nanos = spend.usd_nanos + excluded.usd_nanos,
          input_tokens = spend.input_tokens + excluded.input_tokens,
          output_tokens = spend.output_tokens + excluded.output_tokens,
          model_calls = spend.model_calls + excluded.model_calls`)
    },
    /** Dollars by scope; 0 for a scope without spending. */
    usd: async (day: string, scopes: readonly SpendScope[]) => {
      const found = new Map<SpendScope, number>(scopes.map((scope) => [scope, 0]))
      const stored = await all(sql`SELECT ${COLUMNS} FROM spend WHERE day = ${day} AND scope IN (${list(scopes)})`)
      for (const { scope, usd } of stored) found.set(scope, usd)
      return found
    },
    /** Every scope of a day, ordered by name. */
    list: (day: string) => all(sql`SELECT ${COLUMNS} FROM spend WHERE day = ${day} ORDER BY scope`),
  }
}

const COLUMNS = sql`scope, usd_nanos AS usd, input_tokens, output_tokens, model_calls`

const scopeSpend = rowDecoder<ScopeSpend>({ dollars: ['usd'] })
