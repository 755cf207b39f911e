import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface ClawbooRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** What stdout holds, when it is one JSON document. */
  json<T = Record<string, unknown>>(): T
}

export interface TestHome {
  readonly home: string
  /** Runs the real command in a process of its own. */
  clawboo(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<ClawbooRun>
  /** The same, without waiting. Nothing comes on its input. */
  launch(args: readonly string[], env?: Record<string, string>): ReturnType<typeof launch>
  /** Stops the server that a test may have left, then removes the home. */
  dispose(): Promise<void>
}

const COMMAND = join(import.meta.dirname, 'clawboo.ts')
const COMPILE_CACHE = join(tmpdir(), `clawboo-test-compile-cache-${process.getuid?.() ?? 0}`)

/** A home of its own, away from this machine's desktop and settings. */
export async function createTestHome(): Promise<TestHome> {
  const home = await mkdtemp(join(tmpdir(), 'clawboo-cli-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLAWBOO_HOME: home,
    CLAWBOO_PORT: '0',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  }
  const clawboo: TestHome['clawboo'] = async (args, options = {}) => {
    const child = launch(args, { ...env, ...options.env })
    child.stdin.on('error', () => {}).end(options.input ?? '')
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
    return { code, stdout, stderr, json: () => JSON.parse(stdout) }
  }
  return {
    home,
    clawboo,
    launch: (args, more) => launch(args, { ...env, ...more }),
    async dispose() {
      await clawboo(['stop'])
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function launch(args: readonly string[], env: Record<string, string | undefined>) {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}
