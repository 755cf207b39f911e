import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { WorkerOrder } from '../contract-worker.ts'
import type { StoreOptions } from '../open-store.ts'
import type { ContractJob } from './contract-jobs.ts'
import { TEST_SEED } from './test-sample.ts'

const WORKER = fileURLToPath(new URL('../contract-worker.ts', import.meta.url))
export const WORKERS = 2
export const CLIENTS_PER_WORKER = 8
export const CLIENTS = WORKERS * CLIENTS_PER_WORKER

/** Starts clients that append events and print their numbers, kills the process, and resolves to the printed numbers. */
export async function killAppendingClients(options: StoreOptions, acknowledgements: number): Promise<number[]> {
  const order: WorkerOrder = {
    options,
    job: 'append-until-killed',
    worker: 'doomed',
    clients: 4,
    countPerClient: 0,
    seed: TEST_SEED,
  }
  const child = spawn(process.execPath, [WORKER, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    if (output.split('\n').length > acknowledgements) child.kill('SIGKILL')
  }
  // The last line may be cut off in the middle of a number.
  return output.split('\n').slice(0, -1).map(Number)
}

/** Runs a job with 16 clients in 2 processes and resolves to all their results. */
export async function runClients<T>(options: StoreOptions, job: ContractJob, countPerClient: number): Promise<T[]> {
  const orders = Array.from({ length: WORKERS }, (_, index) => ({
    options,
    job,
    worker: `worker-${index}`,
    clients: CLIENTS_PER_WORKER,
    countPerClient,
    seed: TEST_SEED + index * CLIENTS_PER_WORKER,
  }))
  const results = await Promise.all(orders.map((order) => runWorker<T>(order)))
  return results.flat()
}

function runWorker<T>(order: WorkerOrder): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WORKER, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(stdout) as T[])
      else reject(new Error(`seed ${TEST_SEED}: ${order.worker} ended with ${code}: ${stderr}`))
    })
  })
}
