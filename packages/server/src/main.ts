import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { AgentRegistry, type RuntimeId, type SourceRecords } from '@clawboo/core/registry'
import { createAudit } from './access/audit.ts'
import { containedFiles } from './access/contained-path.ts'
import { openOperatorToken } from './access/operator-token.ts'
import { createRequestGuard } from './access/request-guard.ts'
import { createSignIn } from './access/sign-in.ts'
import { ownHost, readConfig } from './config.ts'
import { homeFiles, makeHome, removeServerNote, writeServerNote } from './home.ts'
import { createApp } from './http/app.ts'
import { createCredentials } from './http/credentials.ts'
import { listen } from './http/listen.ts'
import { loadOperations } from './http/operation-handler.ts'
import { accessRoutes } from './http/routes/access.ts'
import { agentRoutes } from './http/routes/agents.ts'
import { sourceRoutes } from './http/routes/sources.ts'
import { systemRoutes } from './http/routes/system.ts'
import { teamRoutes } from './http/routes/teams.ts'
import { findInstallation } from './installation.ts'
import { integrations } from './integrations/index.ts'
import { createEventFeed } from './live/event-feed.ts'
import { openEventLog } from './live/event-log.ts'
import { createLog } from './log.ts'
import { createAgentFiles } from './registry/agent-files.ts'
import { createAgents } from './registry/agents.ts'
import { createFleet } from './registry/fleet.ts'
import { followSources } from './registry/follow-sources.ts'
import { createRecordChange } from './registry/record-change.ts'
import { settleRunningAgents } from './registry/settle-running-agents.ts'
import { createSourceRecords } from './registry/source-records.ts'
import { createTeams } from './registry/teams.ts'
import { openStore } from './store/open-store.ts'
import { takeHomeLock } from './store/sqlite/home-lock.ts'
import { VERSION } from './version.ts'

const SHUTDOWN_GRACE_MS = 3_000
/** First answers first: what no request has asked for by then is loaded. */
const LOAD_REST_MS = 250
const MAX_WORKSPACE_FILE_BYTES = 1024 * 1024

/** The whole system: read this and you have seen every part and what it depends on. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const files = homeFiles(config.home)
  await makeHome(config.home)
  const lock = takeHomeLock(files.lock)
  if (!lock) {
    throw new ClawbooError(
      'server_running',
      `a server already runs with the home ${config.home}; \`clawboo status\` says where`,
    )
  }
  const [store, token, listening] = await Promise.all([
    openStore({ sqliteFile: files.database, databaseUrl: config.databaseUrl ?? undefined }),
    openOperatorToken(config.home),
    listen({ host: config.host, port: config.port, searchOn: config.portIsDefault }),
  ])
  const eventLog = await openEventLog(store)
  const feed = createEventFeed(eventLog)
  const record = createRecordChange(store, eventLog)
  await settleRunningAgents(record)

  const recordsOf = (sourceId: RuntimeId) => createSourceRecords(sourceId, store, record)
  const registry = registerSources(recordsOf, files.runtimes)
  const runtimes = integrations.flatMap((integration) => integration.descriptors)
  const fleet = createFleet(store, registry, (id) => runtimes.find((runtime) => runtime.id === id)?.label ?? id)
  const kinds = new Map(runtimes.map((runtime) => [runtime.id, runtime.participantKind]))
  const agents = createAgents({ store, registry, recordsOf, runtimes: kinds })
  const signIn = createSignIn(token)
  token.onRotate(() => feed.cutAll())

  const host = ownHost(config.host)
  const ownUrl = `http://${host}:${listening.port}`
  const pageUrl = config.publicUrl?.origin ?? ownUrl
  const credentials = createCredentials(token, signIn, { port: listening.port, secure: config.publicUrl !== null })
  const identity = { version: VERSION, instance: randomUUID(), startedAt: Date.now(), home: config.home }
  const handlers = {
    ...agentRoutes({ agents, files: createAgentFiles(store, agents), fleet }),
    ...teamRoutes({ teams: createTeams(store, record, fleet.booZeroId) }),
    ...sourceRoutes({ registry, fleet, runtimes }),
    ...accessRoutes({ token, signIn, audit: createAudit(store), credentials, pageUrl }),
    ...systemRoutes({ identity, counts: () => fleet.counts(), log: eventLog, feed }),
  }
  const app = createApp({ handlers, credentials, pageFolder: findInstallation().page, log })
  listening.serve(app, createRequestGuard({ host, port: listening.port, publicUrl: config.publicUrl }))
  const stopFollowing = await followSources(registry, record, log)
  await writeServerNote(config.home, { pid: process.pid, url: ownUrl, ...identity })
  greet(pageUrl, signIn.createCode().code)
  setTimeout(loadOperations, LOAD_REST_MS).unref()
  log.info('started', { url: pageUrl, home: config.home, engine: store.db.engine })

  await shutdownSignal()
  log.info('stopping')
  feed.close()
  await listening.close(SHUTDOWN_GRACE_MS)
  await stopFollowing()
  await eventLog.close()
  await store.close()
  await removeServerNote(config.home)
  lock.release()
}

/** Gives every integration a host of its own: its rows of the registry and its folder of the home, nothing else. */
function registerSources(recordsOf: (sourceId: RuntimeId) => SourceRecords, runtimesFolder: string): AgentRegistry {
  const registry = new AgentRegistry()
  for (const integration of integrations) {
    const folder = join(runtimesFolder, integration.id)
    const source = integration.createAgentSource?.({
      records: recordsOf(integration.id),
      files: containedFiles(folder, { maxBytes: MAX_WORKSPACE_FILE_BYTES }),
      now: Date.now,
    })
    if (source) registry.register(source)
  }
  return registry
}

function greet(pageUrl: string, code: string): void {
  process.stdout.write(`Clawboo ${VERSION} runs at ${pageUrl}\n`)
  process.stdout.write(`Sign in with this link (it works once): ${pageUrl}/sign-in#${code}\n`)
}

/** Keeps listening: a second signal, as a launcher may pass on, must not cut the shutdown short. Its length is bounded. */
function shutdownSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}

// A terminal or pipe that went away must not take the server with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

main().catch((error: unknown) => {
  // What the system refused is the person's to mend; anything else is our mistake and keeps its stack.
  if (!(error instanceof Error && 'code' in error)) throw error
  // Parts that did open, such as the port, would keep the process alive.
  process.stderr.write(`clawboo: ${error.message}\n`, () => process.exit(error.code === 'server_running' ? 3 : 1))
})
