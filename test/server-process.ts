import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@clawboo/api/client'
import { SERVER_MEMORY_ENVIRONMENT, SERVER_NODE_FLAGS } from '../packages/server/src/installation.ts'
import { buildProgram } from '../scripts/build-program.ts'
import { COMPILE_CACHE } from './compile-cache.ts'

/** A real server in its own process, with its own home. */
export interface ServerProcess {
  readonly url: string
  readonly port: number
  readonly home: string
  readonly token: string
  readonly client: Client
  readonly child: ChildProcess
  /** The one-time link that it printed. */
  readonly signInLink: string
  /** Everything that it has printed. */
  output(): string
  /** Sends `kill -9` and waits until the process is gone. */
  kill(): Promise<void>
  /** Asks the process to stop; resolves to its exit code. */
  stop(): Promise<number | null>
}

export interface ServerOptions {
  readonly home?: string
  readonly port?: number
  readonly databaseUrl?: string | null
  readonly env?: Readonly<Record<string, string>>
  /** Another copy of the server's program. */
  readonly main?: string
  /** A program that runs the server, with its arguments. */
  readonly under?: readonly string[]
}

/** The server's source, which runs without a build. */
export const SOURCE_PROGRAM = join(import.meta.dirname, '../packages/server/src/main.ts')

let program: Promise<string> | null = null

/** The program that `npm start` runs. */
async function serverProgram(): Promise<string> {
  program ??= buildProgram()
  return join(await program, 'server.js')
}

export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const home = options.home ?? (await temporaryHome())
  const words = [
    ...(options.under ?? []),
    process.execPath,
    ...SERVER_NODE_FLAGS,
    options.main ?? (await serverProgram()),
  ]
  const child = spawn(words[0]!, words.slice(1), {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...SERVER_MEMORY_ENVIRONMENT,
      PATH: process.env.PATH,
      HOME: home,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      CLAWBOO_HOME: home,
      CLAWBOO_PORT: String(options.port ?? 0),
      ...(options.databaseUrl ? { CLAWBOO_DATABASE_URL: options.databaseUrl } : {}),
      ...options.env,
    },
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const link = await new Promise<string>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output += chunk
      const match = /(http\S+\/sign-in#[\w-]+)/.exec(output)
      if (match) resolve(match[1]!)
    }
    child.stdout!.on('data', onData)
    child.stderr!.on('data', onData)
    void exited.then((code) => reject(new Error(`the server ended with ${code} before it was ready:\n${output}`)))
  })
  const { origin: url, port } = new URL(link)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  return {
    url,
    port: Number(port),
    home,
    token,
    child,
    signInLink: link,
    client: createClient({ baseUrl: url, token }),
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

export async function temporaryHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'clawboo-test-'))
}

export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true })
}
