import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { COMPILE_CACHE } from '../compile-cache.ts'

/** Runs one program of this folder until it exits or dies, and resolves to its lines of JSON. */
export async function runWorker<Said>(
  program: string,
  order: { readonly seed: number },
): Promise<{ said: Said[]; killed: boolean }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`seed ${order.seed}: ${program} ended with ${code}`)
  const lines = said.split('\n').slice(0, -1)
  return { said: lines.map((line) => JSON.parse(line) as Said), killed: signal === 'SIGKILL' }
}

/**
 * Reads the order of this process. Flushes the compile cache for the next process, because a killed one stores nothing.
 */
export function readOrder<Order>(): Order {
  flushCompileCache()
  return JSON.parse(process.argv[2]!) as Order
}
