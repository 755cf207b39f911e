import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { COMPILE_CACHE } from '../compile-cache.ts'

/** Runs one program of this folder to its end, or to its death, and resolves to the lines of JSON that it said. */
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

/** The order that this process was started with. Its code is kept for the next one: who is killed keeps nothing. */
export function readOrder<Order>(): Order {
  flushCompileCache()
  return JSON.parse(process.argv[2]!) as Order
}
