import { toNanos, toUsd } from './dollars.ts'
import { type Db, list, rows, sql } from './sql.ts'

export interface Spent {
  readonly usd: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly modelCalls: number
}

/** `server`, `agent:<id>` or `team:<id>`. */
export type SpendScope = 'server' | `agent:${string}` | `team:${string}`

/** What was spent a day and scope. It stays when the agent or the team goes. */
export interface SpendRepository {
  /** Adds the same to every scope, in one statement. */
  add(day: string, scopes: readonly SpendScope[], spent: Spent): Promise<void>
  /** Dollars by scope, 0 where nothing was spent. */
  usd(day: string, scopes: readonly SpendScope[]): Promise<Map<SpendScope, number>>
  /** Every scope of a day, in order of name. */
  list(day: string): Promise<(Spent & { readonly scope: SpendScope })[]>
}

export function createSpendRepository(db: Db): SpendRepository {
  return {
    add: async (day, scopes, { usd, inputTokens, outputTokens, modelCalls }) => {
      // In one order everywhere: two writers that lock the rows in different orders would wait for each other.
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
    usd: async (day, scopes) => {
      const found = new Map<SpendScope, number>(scopes.map((scope) => [scope, 0]))
      const stored = await db.all<{ scope: SpendScope; usd_nanos: number }>(
        sql`SELECT scope, usd_nanos FROM spend WHERE day = ${day} AND scope IN (${list(scopes)})`,
      )
      for (const row of stored) found.set(row.scope, toUsd(row.usd_nanos))
      return found
    },
    list: async (day) => {
      const stored = await db.all<SpendRow>(sql`SELECT * FROM spend WHERE day = ${day} ORDER BY scope`)
      return stored.map((row) => ({
        scope: row.scope,
        usd: toUsd(row.usd_nanos),
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        modelCalls: row.model_calls,
      }))
    },
  }
}

interface SpendRow {
  readonly scope: SpendScope
  readonly usd_nanos: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly model_calls: number
}
