import { fitDdl } from '../migrations/fit-ddl.ts'
import { type Db, raw, type Sql, sql } from '../sql.ts'

/** Tables for the patterns that many clients use: a numbered room, a queue of claims with leases and an outbox, a named lease. */
const TABLES = [
  'CREATE TABLE contract_messages (room TEXT NOT NULL, seq INTEGER NOT NULL, author TEXT NOT NULL, PRIMARY KEY (room, seq))',
  `CREATE TABLE contract_tasks (id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT, attempt INTEGER NOT NULL,
    lease_until INTEGER NOT NULL)`,
  'CREATE TABLE contract_outbox (task_id TEXT PRIMARY KEY, attempt INTEGER NOT NULL)',
  'CREATE TABLE contract_leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch INTEGER NOT NULL, until INTEGER NOT NULL)',
]

export async function createContractTables(db: Db): Promise<void> {
  for (const table of TABLES) await db.run(fitDdl(db.engine, table))
}

export async function addTasks(db: Db, count: number): Promise<void> {
  await db.run(sql`DELETE FROM contract_outbox`)
  await db.run(sql`DELETE FROM contract_tasks`)
  await db.transaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      await tx.run(
        sql`INSERT INTO contract_tasks (id, state, attempt, lease_until) VALUES (${`task-${n}`}, 'queued', 0, 0)`,
      )
    }
  })
}

export interface Claim {
  readonly id: string
  readonly attempt: number
}

export function claimTask(db: Db, owner: string, leaseMs: number): Promise<Claim | undefined> {
  const free = sql`(state = 'queued' OR (state = 'running' AND lease_until < now_ms()))`
  return db.get<Claim>(sql`UPDATE contract_tasks
    SET state = 'running', owner = ${owner}, attempt = attempt + 1, lease_until = now_ms() + ${leaseMs}
    WHERE id = (SELECT id FROM contract_tasks WHERE ${free} ORDER BY id LIMIT 1 ${skipLocked(db)}) AND ${free}
    RETURNING id, attempt`)
}

/** Resolves to false, and writes nothing, when the claim was lost in the meantime. */
export function finishTask(db: Db, owner: string, { id, attempt }: Claim): Promise<boolean> {
  return db.transaction(async (tx) => {
    const finished = await tx.run(sql`UPDATE contract_tasks SET state = 'done'
      WHERE id = ${id} AND state = 'running' AND owner = ${owner} AND attempt = ${attempt}`)
    if (finished === 1) await tx.run(sql`INSERT INTO contract_outbox (task_id, attempt) VALUES (${id}, ${attempt})`)
    return finished === 1
  })
}

/** Takes a lease. Resolves to its epoch, or to undefined when another owner has it. */
export async function takeLease(db: Db, name: string, owner: string, ms: number): Promise<number | undefined> {
  const row = await db.get<{ epoch: number }>(sql`INSERT INTO contract_leases (name, owner, epoch, until)
    VALUES (${name}, ${owner}, 1, now_ms() + ${ms})
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until,
      epoch = contract_leases.epoch + CASE WHEN contract_leases.owner = excluded.owner THEN 0 ELSE 1 END
    WHERE contract_leases.owner = excluded.owner OR contract_leases.until < now_ms()
    RETURNING epoch`)
  return row?.epoch
}

/**
 * Skips locked rows: otherwise all PostgreSQL clients would wait for the same row, and most of them would find it
 * claimed.
 */
function skipLocked(db: Db): Sql {
  return raw(db.engine === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '')
}
