import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { keepBuild } from './installation.ts'
import { VERSION } from './version.ts'

/** Delays the tuning until the first responses have been sent. */
const SETTLE_MS = 250

/**
 * Call this once the server responds. Limits heap growth: a heap that grows slowly would make the start slow. Compiled
 * code is stored first, because it is only reused under the flags it was stored with.
 */
export function settleDown(): void {
  keepBuild()
  setTimeout(() => {
    flushCompileCache()
    setFlagsFromString('--heap-growing-percent=60')
  }, SETTLE_MS).unref()
}

/** Like `Promise.all`. When one part fails, the others are closed before the error is thrown. */
export async function allOpened<T extends readonly unknown[]>(
  parts: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(parts)
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed)
    for (const part of settled)
      if (part.status === 'fulfilled') await (part.value as { close?(): unknown } | null)?.close?.()
  return (await Promise.all(parts)) as unknown as T
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

/** Prints an error that a person can fix and exits; any other error is a bug and keeps its stack. */
export function exitWithError(error: unknown): void {
  if (!(error instanceof Error && 'code' in error)) throw error
  // Parts that were opened, such as the port, would keep the process alive.
  const { message, cause } = error
  const why = cause instanceof Error && !message.includes(cause.message) ? `: ${reasonOf(cause)}` : ''
  process.stderr.write(`clawboo: ${message}${why}\n`, () => process.exit(error.code === 'server_running' ? 3 : 1))
}

/** A failed connection to several addresses has a list of errors and no message of its own. */
function reasonOf(cause: Error): string {
  if (cause.message !== '' || !(cause instanceof AggregateError)) return cause.message
  return cause.errors.map((error: unknown) => (error instanceof Error ? error.message : String(error))).join(', ')
}
