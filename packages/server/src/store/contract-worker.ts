import { CONTRACT_JOBS, type ContractJob } from './contract/contract-jobs.ts'
import { seededRandom } from './contract/test-sample.ts'
import { openStore, type StoreOptions } from './open-store.ts'

/** The job of one worker process, as JSON in its first argument. */
export interface WorkerOrder {
  readonly options: StoreOptions
  readonly job: ContractJob
  readonly worker: string
  readonly clients: number
  readonly countPerClient: number
  readonly seed: number
}

/** Runs one process's part of a contract test: several clients at once on one store. Prints their results as one JSON array. */
async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2]!) as WorkerOrder
  const store = await openStore(order.options)
  const clients = Array.from({ length: order.clients }, (_, index) => ({
    name: `${order.worker}-${index}`,
    count: order.countPerClient,
    random: seededRandom(order.seed + index),
  }))
  const results = await Promise.all(clients.map((client) => CONTRACT_JOBS[order.job](store, client)))
  await store.close()
  process.stdout.write(JSON.stringify(results.flat()))
}

if (import.meta.main) await main()
