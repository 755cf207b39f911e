import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { readToken } from '../../access/operator-token.ts'
import type { Config } from '../../config.ts'
import { homeFiles, readServerNote, type ServerNote } from '../../home.ts'
import { openSqliteConnection } from '../../store/sqlite/connection.ts'
import { isSqliteBusy } from '../../store/sqlite/sqlite-errors.ts'
import type { Arguments, Context, Outcome } from '../command.ts'
import { followAgent } from './follow-agent.ts'

export interface RunningServer {
  readonly state: 'running'
  readonly note: ServerNote
  readonly status: OperationOutput<'getStatus'>
  readonly client: Client
  /**
   * Streams the events of an agent's runs, beginning with the current run. Resolves once no later event can be missed.
   */
  follow(agentId: string, signal: AbortSignal): Promise<AsyncIterable<RuntimeEvent>>
}

/**
 * `silent`: a process has locked the home folder, but our server does not respond. It is starting, stopping or stuck.
 */
type ServerState = RunningServer | { readonly state: 'silent' } | { readonly state: 'stopped' }

const ANSWER_DEADLINE_MS = 3000
const SILENT_DEADLINE_MS = 10_000

/** Finds the server of this home folder. `running` means that the process in the server note has responded. */
export async function findServer(config: Config): Promise<ServerState> {
  const files = homeFiles(config.home)
  if (!isHomeLocked(files.lock)) return { state: 'stopped' }
  const note = await readServerNote(config.home)
  // After `kill -9` another program may use the noted address. Never send the token before the server is identified.
  if (!note || !(await answers(note))) return { state: 'silent' }
  const token = await readToken(files.token)
  if (token === null) return { state: 'silent' }
  const client = createClient({ baseUrl: note.url, token })
  const follow = (agentId: string, signal: AbortSignal) => followAgent({ url: note.url, token }, agentId, signal)
  return { state: 'running', note, status: await client.getStatus({}), client, follow }
}

/** Waits a moment for a silent server, which may be starting or slow. */
export async function settledServer(config: Config): Promise<ServerState> {
  for (const giveUpAt = performance.now() + SILENT_DEADLINE_MS; ; await sleep(100)) {
    const server = await findServer(config)
    if (server.state !== 'silent' || performance.now() >= giveUpAt) return server
  }
}

/** Returns the running server, or throws when there is none. */
export async function demandServer(config: Config): Promise<RunningServer> {
  const server = await settledServer(config)
  if (server.state === 'running') return server
  throw new ClawbooError(
    'server_not_running',
    server.state === 'stopped'
      ? `no server is running for the home folder ${config.home}; start one with \`clawboo start\``
      : `a server uses the home folder ${config.home} but does not respond; run \`clawboo doctor\``,
  )
}

/** An action that needs nothing but the running server's client. */
export function withClient(
  run: (client: Client, args: Arguments, context: Context) => Promise<Outcome>,
): (args: Arguments, context: Context) => Promise<Outcome> {
  return async (args, context) => run((await demandServer(context.config)).client, args, context)
}

/** Whether the server that wrote the note responds at its address. Sends no credential. */
export async function answers(note: ServerNote): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS)
    const health = await createClient({ baseUrl: note.url }).checkHealth({ signal })
    return health.instance === note.instance
  } catch {
    // Nothing responds, another program does, or the response is too slow: the caller treats all three alike.
    return false
  }
}

/** Checks the lock without taking it, so that two commands never mistake each other for a server. */
export function isHomeLocked(file: string): boolean {
  if (!existsSync(file)) return false
  const connection = openSqliteConnection(file, { readOnly: true })
  try {
    connection.execute('get', { text: 'SELECT count(*) FROM sqlite_schema', values: [] })
    return false
  } catch (error) {
    if (isSqliteBusy(error)) return true
    throw error
  } finally {
    connection.close()
  }
}
