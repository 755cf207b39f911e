import { randomUUID } from 'node:crypto'
import { openAccess } from './access/open-access.ts'
import { openOperatorToken } from './access/operator-token.ts'
import { openBoard } from './board/open-board.ts'
import { ownHost, readConfig, readMachine } from './config.ts'
import { openAttention } from './executor/attention/open-attention.ts'
import { openExecutor } from './executor/open-executor.ts'
import { openTaskWork } from './executor/open-task-work.ts'
import { createRunTools } from './executor/run/run-tools.ts'
import { homeFiles, readHomeId, removeServerNote, writeServerNote } from './home.ts'
import { listen } from './http/listen.ts'
import { openHttp } from './http/open-http.ts'
import { findInstallation } from './installation.ts'
import { createEventFeed } from './live/event-feed.ts'
import { openEventLog } from './live/event-log.ts'
import { lockHome } from './lock-home.ts'
import { createLog } from './log.ts'
import { openMcp } from './mcp/open-mcp.ts'
import { OWN_TOOL_NAMES } from './mcp/own-tool-names.ts'
import { createMemories } from './memory/memories.ts'
import { openIntegrations } from './open-integrations.ts'
import { allOpened, exitWithError, greet, settleDown, shutdownSignal, surviveClosedOutput } from './process-life.ts'
import { openProcesses } from './processes/open-processes.ts'
import { openRegistry } from './registry/open-registry.ts'
import { createRecordChange } from './registry/record-change.ts'
import { openStore } from './store/open-store.ts'
import { openRooms, openTeamChat } from './team-chat/open-team-chat.ts'
import { openTools } from './tools/open-tools.ts'
import { VERSION } from './version.ts'

/** Opens every domain with what it needs, in this order. The domains close in reverse order. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const machine = readMachine(process.env)
  const log = createLog(config.logLevel)
  const files = homeFiles(config.home)
  await using opened = new AsyncDisposableStack()
  const keep = <T extends { close(): unknown }>(domain: T): T => {
    opened.defer(async () => void (await domain.close()))
    return domain
  }

  keep(await lockHome(config.home))
  const [openedStore, token, listening, instance] = await allOpened([
    openStore({ sqliteFile: files.database, databaseUrl: config.databaseUrl ?? undefined }),
    openOperatorToken(config.home),
    listen({ host: config.host, port: config.port, searchOn: config.portIsDefault }),
    readHomeId(config.home),
  ])
  const store = keep(openedStore)
  const events = keep(await openEventLog(store))
  keep(listening)
  const record = createRecordChange(store, events)
  const processes = openProcesses({ ...machine, hidden: [config.home] })
  const shared = { store, record, log, instance, processes }
  const access = openAccess({ store, token, home: config.home, masterKey: config.masterKey })
  const { attention, people, approvals } = keep(openAttention(shared))
  const integrations = openIntegrations({
    ...shared,
    machine,
    people,
    secretsOf: access.secretsOf,
    approvalsOf: approvals.of,
    runtimesFolder: files.runtimes,
  })
  const { runtimes } = integrations
  const registry = keep(openRegistry({ ...shared, integrations, home: config.home }))
  const board = openBoard(shared)
  const rooms = openRooms({ store, record, teams: registry.teams })
  const tools = openTools({ store, audit: access.audit, ownTools: OWN_TOOL_NAMES })
  const mcp = keep(openMcp({ board, rooms, tools, memories: createMemories(store), grants: access.grants, log }))
  const host = ownHost(config.host)
  const ownUrl = `http://${host}:${listening.port}`
  const runTools = createRunTools({ servers: mcp, grants: access.grants, url: ownUrl })
  const executor = keep(
    openExecutor({ ...shared, ...integrations, attention, tools: runTools, runtimesFolder: files.runtimes }),
  )
  registry.beforeRemove(executor.conversations.forget)
  const teamChat = keep(openTeamChat({ ...shared, rooms, runtimes, executor, board, teams: registry.teams }))
  const taskWork = keep(await openTaskWork({ ...shared, runtimes, attention, events, board, executor, folders: files }))
  const identity = { version: VERSION, instance: randomUUID(), startedAt: Date.now(), home: config.home }
  const http = keep(
    openHttp({
      ...shared,
      host,
      publicUrl: config.publicUrl,
      pageFolder: findInstallation().page,
      identity,
      ownUrl,
      listening,
      events,
      feed: createEventFeed(events),
      domains: { access, attention, integrations, registry, board, rooms, tools, mcp, executor, teamChat, taskWork },
    }),
  )

  // Before the first request: no new message may overtake one that was accepted earlier.
  for (const domain of [executor, teamChat, taskWork, approvals]) await domain.start()
  http.serve()
  await registry.start(executor.runs.isRunning)
  await writeServerNote(config.home, { pid: process.pid, url: ownUrl, ...identity })
  opened.defer(() => removeServerNote(config.home))
  greet(http.pageUrl, access.signIn.createCode().code)
  settleDown()
  log.info('started', { url: http.pageUrl, home: config.home, engine: store.db.engine })
  await shutdownSignal()
  log.info('stopping')
}

surviveClosedOutput()
main().catch(exitWithError)
