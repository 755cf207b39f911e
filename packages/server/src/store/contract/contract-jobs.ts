import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../open-store.ts'
import { sql } from '../sql.ts'
import { claimTask, finishTask, takeLease } from './contract-tables.ts'

/** One client. `name` is unique among all clients; `count` is its part of the work. */
export interface Client {
  readonly name: string
  readonly count: number
  readonly random: () => number
}

/** The jobs. Each resolves to the results of its client, which the test adds up. */
export const CONTRACT_JOBS = {
  'post-messages': postMessages,
  'post-to-room': postToRoom,
  'increment-under-lock': incrementUnderLock,
  'claim-tasks': claimTasks,
  'flip-rows': flipRows,
  'append-events': appendEvents,
  'race-for-lease': raceForLease,
  'work-with-crashes': workWithCrashes,
  'append-until-killed': appendUntilKilled,
} as const satisfies Record<string, (store: Store, client: Client) => Promise<unknown[]>>

export type ContractJob = keyof typeof CONTRACT_JOBS

async function postMessages(store: Store, { name, count, random }: Client): Promise<unknown[]> {
  for (let n = 0; n < count; n++) {
    const room = `room-${Math.floor(random() * 4)}`
    await store.db.transaction(async (tx) => {
      const row = await tx.get<{ value: number }>(sql`INSERT INTO counters (name, value) VALUES (${room}, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`)
      await tx.run(sql`INSERT INTO contract_messages (room, seq, author) VALUES (${room}, ${row!.value}, ${name})`)
    })
  }
  return []
}

/** Posts to one of two rooms. One post in ten fails at the end. */
async function postToRoom(store: Store, { name, count, random }: Client): Promise<string[]> {
  const posted: string[] = []
  for (let n = 0; n < count; n++) {
    const teamId = random() < 0.5 ? 'team' : 'other'
    const roomId = `team:${teamId}` as const
    const id = `${teamId} ${name}:${n}`
    const fails = random() < 0.1
    const posting = store.transaction(async (tx) => {
      await tx.rooms.ensure({ id: roomId, teamId, at: 1 })
      const seq = (await tx.rooms.nextSeq(roomId))!
      await tx.posts.insert({
        roomId,
        teamId,
        seq,
        id,
        author: { kind: 'agent', id: name },
        kind: 'peer',
        body: id,
        to: [],
        chainId: id,
        hops: 0,
        runId: null,
        taskId: null,
        credential: 'attached',
        turnKey: null,
        createdAt: n,
      })
      await tx.events.append({ type: 'contract', body: id, at: n })
      if (fails) throw new PlannedFailure()
    })
    await posting.then(
      () => posted.push(id),
      (error: unknown) => {
        if (!(error instanceof PlannedFailure)) throw error
        n--
      },
    )
  }
  return posted
}

async function incrementUnderLock(store: Store, { count }: Client): Promise<unknown[]> {
  for (let n = 0; n < count; n++) {
    await store.transaction(async (tx) => {
      const total = (await tx.settings.get<number>('total')) ?? 0
      await tx.settings.set('total', total + 1)
    }, 'total')
  }
  return []
}

async function claimTasks(store: Store, { name }: Client): Promise<string[]> {
  const claimed: string[] = []
  for (;;) {
    const claim = await claimTask(store.db, name, 600_000)
    if (!claim) return claimed
    claimed.push(claim.id)
  }
}

async function flipRows(store: Store, { name, count }: Client): Promise<string[]> {
  const flipped: string[] = []
  for (let n = 0; n < count; n++) {
    const id = `task-${n}`
    const changed = await store.db.run(
      sql`UPDATE contract_tasks SET state = 'done', owner = ${name} WHERE id = ${id} AND state = 'queued'`,
    )
    if (changed === 1) flipped.push(id)
  }
  return flipped
}

async function appendEvents(store: Store, { name, count, random }: Client): Promise<string[]> {
  const committed: string[] = []
  for (let n = 0; n < count; n++) {
    const fails = random() < 0.1
    const label = `${name}:${n}`
    const append = store.transaction(async (tx) => {
      await tx.settings.set(`last-event:${name}`, n)
      await tx.events.append({ type: 'contract', body: label, at: n })
      if (fails) throw new PlannedFailure()
    })
    await append.then(
      () => committed.push(label),
      (error: unknown) => {
        if (!(error instanceof PlannedFailure)) throw error
      },
    )
  }
  return committed
}

async function raceForLease(store: Store, { name }: Client): Promise<string[]> {
  const epoch = await takeLease(store.db, 'raced', name, 600_000)
  return epoch === undefined ? [] : [name]
}

const SHORT_LEASE_MS = 40

/** Drops one claim in ten silently, and finishes one in ten after its lease has expired. */
async function workWithCrashes(store: Store, { name, random }: Client): Promise<string[]> {
  const finished: string[] = []
  for (;;) {
    const claim = await claimTask(store.db, name, SHORT_LEASE_MS)
    if (!claim) {
      const open = await store.db.get<{ n: number }>(
        sql`SELECT count(*) AS n FROM contract_tasks WHERE state <> 'done'`,
      )
      if (open?.n === 0) return finished
      await sleep(5)
      continue
    }
    const fate = random()
    if (fate < 0.1) continue
    if (fate < 0.2) await sleep(SHORT_LEASE_MS * 2)
    if (await finishTask(store.db, name, claim)) finished.push(claim.id)
  }
}

/** Prints each number after its commit, and runs until it is killed. */
async function appendUntilKilled(store: Store, { name }: Client): Promise<never> {
  for (let n = 0; ; n++) {
    const seq = await store.transaction(async (tx) => {
      await tx.settings.set(`acknowledged:${name}`, n)
      return tx.events.append({ type: 'acknowledged', body: name, at: n })
    })
    process.stdout.write(`${seq}\n`)
  }
}

class PlannedFailure extends Error {}
