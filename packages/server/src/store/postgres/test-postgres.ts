import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { startEmbeddedServer } from './embedded-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** null = this run has no PostgreSQL. `postgresReason` contains the reason. */
    postgresUrl: string | null
    postgresReason: string
  }
}

interface TestRun {
  provide(key: 'postgresUrl', value: string | null): void
  provide(key: 'postgresReason', value: string): void
}

/** Vitest's global setup: one PostgreSQL for the whole run. `TEST_POSTGRES_URL` replaces the embedded server. */
export async function setup({ provide }: TestRun): Promise<() => Promise<void>> {
  const externalUrl = process.env.TEST_POSTGRES_URL
  if (externalUrl) {
    provide('postgresUrl', externalUrl)
    provide('postgresReason', 'TEST_POSTGRES_URL')
    return async () => {}
  }
  try {
    const server = await startEmbeddedServer()
    provide('postgresUrl', server.url)
    provide('postgresReason', 'embedded')
    return server.stop
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    provide('postgresUrl', null)
    provide('postgresReason', reason)
    console.error(`\n*** NOT COVERED BY THIS RUN: everything on PostgreSQL. No server could be started: ${reason}\n`)
    return async () => {}
  }
}

/** Creates an empty database on the server. `drop` removes it and ends its connections. */
export async function freshPostgres(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `clawboo_test_${randomBytes(8).toString('hex')}`
  await administer(serverUrl, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end()
  }
}
