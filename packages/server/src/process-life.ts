import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { VERSION } from './version.ts'

/** First answers first. */
const SETTLE_MS = 250

/**
 * Limits how far the heap spreads over free memory, once the first answers are out: a heap that grows slowly makes the
 * start slow. Compiled code is stored first, because it is only reused under the flags it was stored with.
 */
export function limitHeapGrowth(): void {
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString('--heap-growing-percent=60')
  }, SETTLE_MS).unref()
}

export function greet(pageUrl: string, code: string): void {
  process.stdout.write(`Clawboo ${VERSION} runs at ${pageUrl}\n`)
  process.stdout.write(`Sign in with this link (it works once): ${pageUrl}/sign-in#${code}\n`)
}

/** Keeps listening after the first signal: a launcher may send a second one, which must not cut the shutdown short. */
export function shutdownSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}

/** A terminal or pipe that was closed must not end the server. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Prints an error that a person can fix and exits; any other error is our mistake and keeps its stack. */
export function exitWithError(error: unknown): void {
  if (!(error instanceof Error && 'code' in error)) throw error
  // Parts that were opened, such as the port, would keep the process alive.
  process.stderr.write(`clawboo: ${error.message}\n`, () => process.exit(error.code === 'server_running' ? 3 : 1))
}
