import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { COMPILE_CACHE } from '../../../../test/compile-cache.ts'
import { homeFiles } from '../home.ts'
import { runCommandLine } from './run-command-line.ts'

export interface ClawbooRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Parses stdout as one JSON document. */
  json<T = Record<string, unknown>>(): T
}

export interface TestHome {
  readonly home: string
  /** Runs the command in this process, which is fast. */
  clawboo(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<ClawbooRun>
  /** Starts the command in its own process. */
  launch(args: readonly string[], env?: Record<string, string>): ReturnType<typeof launch>
  /** Stops the server if the test left one, then removes the home folder. */
  dispose(): Promise<void>
}

export const COMMAND = join(import.meta.dirname, 'clawboo.ts')

/** Creates a home folder that is isolated from this machine's desktop and settings. */
export async function createTestHome(settings: Record<string, string> = {}): Promise<TestHome> {
  const home = await mkdtemp(join(tmpdir(), 'clawboo-cli-'))
  await shareCompileCache(home)
  const env = { PATH: dirname(process.execPath), HOME: home, CLAWBOO_HOME: home, CLAWBOO_PORT: '0', ...settings }
  const clawboo: TestHome['clawboo'] = async (args, options = {}) => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    stdin.end(options.input ?? '')
    const printed = Promise.all([text(stdout), text(stderr)])
    const code = await runCommandLine(args, { env: { ...env, ...options.env }, stdin, stdout, stderr })
    stdout.end()
    stderr.end()
    const [out, err] = await printed
    return { code, stdout: out, stderr: err, json: () => JSON.parse(out) }
  }
  return {
    home,
    clawboo,
    launch: (args, more) => launch(args, { ...env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...more }),
    async dispose() {
      await clawboo(['stop'])
      await rm(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Shares one cache: otherwise every new home folder compiles the server again, which takes most of the test time. */
async function shareCompileCache(home: string): Promise<void> {
  const { compileCache } = homeFiles(home)
  await mkdir(COMPILE_CACHE, { recursive: true })
  await mkdir(dirname(compileCache), { recursive: true, mode: 0o700 })
  await symlink(COMPILE_CACHE, compileCache)
}

/** Waits until a launched command exits. */
export async function finished(child: ReturnType<typeof launch>): Promise<ClawbooRun> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { code, stdout: out, stderr: err, json: () => JSON.parse(out) }
}

function launch(args: readonly string[], env: Record<string, string>) {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
