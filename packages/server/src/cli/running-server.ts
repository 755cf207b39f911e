import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { readToken } from '../access/operator-token.ts'
import type { Config } from '../config.ts'
import { homeFiles, readServerNote, type ServerNote } from '../home.ts'
import { openSqliteConnection } from '../store/sqlite/connection.ts'
import { isSqliteBusy } from '../store/sqlite/sqlite-errors.ts'
import { followAgent } from './follow-agent.ts'

export interface RunningServer {
  readonly state: 'running'
  readonly note: ServerNote
  readonly status: OperationOutput<'getStatus'>
  readonly client: Client
  /** What an agent's runs tell, from the one under way on. Resolves when nothing that comes is missed. */
  follow(agentId: string, signal: AbortSignal): Promise<AsyncIterable<RuntimeEvent>>
}

/** `silent`: somebody holds the home, but no server that is known to be ours answers: it starts, stops or hangs. */
export type ServerState = RunningServer | { readonly state: 'silent' } | { readonly state: 'stopped' }

const ANSWER_DEADLINE_MS = 3000
const SILENT_DEADLINE_MS = 10_000

/** What runs with this home. `running` means that the noted process itself has answered. */
export async function findServer(config: Config): Promise<ServerState> {
  const files = homeFiles(config.home)
  if (!isHomeLocked(files.lock)) return { state: 'stopped' }
  const note = await readServerNote(config.home)
  // After `kill -9` the note may name an address that is somebody else's now; the token must not go there.
  if (!note || !(await answers(note))) return { state: 'silent' }
  const token = await readToken(files.token)
  if (token === null) return { state: 'silent' }
  const client = createClient({ baseUrl: note.url, token })
  const follow = (agentId: string, signal: AbortSignal) => followAgent({ url: note.url, token }, agentId, signal)
  return { state: 'running', note, status: await client.getStatus({}), client, follow }
}

/** Waits a moment for one that has the home but does not answer: it may be about to, or short of the processor. */
export async function settledServer(config: Config): Promise<ServerState> {
  for (const giveUpAt = performance.now() + SILENT_DEADLINE_MS; ; await sleep(100)) {
    const server = await findServer(config)
    if (server.state !== 'silent' || performance.now() >= giveUpAt) return server
  }
}

/** The server of this home, for a command that is nothing without it. */
export async function demandServer(config: Config): Promise<RunningServer> {
  const server = await settledServer(config)
  if (server.state === 'running') return server
  throw new ClawbooError(
    'server_not_running',
    server.state === 'stopped'
      ? `no server runs with the home ${config.home}; start one with \`clawboo start\``
      : `a server has the home ${config.home} but does not answer; \`clawboo doctor\` says more`,
  )
}

/** Whether the very server that wrote the note answers at its address. Sends no credential. */
export async function answers(note: ServerNote): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_DEADLINE_MS)
    const health = await createClient({ baseUrl: note.url }).checkHealth({ signal })
    return health.instance === note.instance
  } catch {
    // Nobody there, somebody else there, or too slow: all the same to the caller.
    return false
  }
}

/** Looks without taking the lock, so that two looks do not mistake each other for a server. */
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
