import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { endRuntime, watchForOrphans } from '../runtime-processes.ts'
import { type JsonObject, leanConfig, mergePatch } from './gateway-config.ts'

/** A real Gateway on 127.0.0.1 with its own home, state and scripted model. */
export interface GatewayProcess {
  /** The address of its WebSocket. */
  readonly url: string
  readonly port: number
  readonly token: string
  /** Its home; the agents' workspaces are below it. */
  readonly dir: string
  readonly stateDir: string
  readonly configPath: string
  readonly version: string
  /** Plays the scripts in prompts, as the models `scripted/boo` and `scripted/other`. */
  readonly model: ScriptedModel
  /** The id of the process that leads its group; null = not running. */
  pid(): number | null
  /** The end of its output. */
  log(): string
  /** Sends `kill -9` to it and all its processes; resolves when all have ended. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves to its exit code. Its state stays. */
  terminate(): Promise<number | null>
  /** Restarts it with the same state and port, whether or not it is still running. */
  restart(): Promise<void>
  /** Ends it and the model, and removes `dir`. */
  stop(): Promise<void>
}

export interface GatewayOptions {
  /** The folder with `node_modules`. Default: the value of `CLAWBOO_LIVE_OPENCLAW`. */
  readonly installation?: string
  /** A merge patch for the lean config. */
  readonly config?: JsonObject
  /** False: resolves as soon as its process exists. */
  readonly untilReady?: boolean
}

/** The number of attempts to start. On a busy machine the Gateway exceeds its own start-up limits of a few seconds. */
const STARTS = 4
const READY_WITHIN_MS = 600_000
const STOPPED_WITHIN_MS = 20_000

export async function startGateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const installation = options.installation ?? process.env.CLAWBOO_LIVE_OPENCLAW
  if (!installation) throw new Error('CLAWBOO_LIVE_OPENCLAW names no installation; run this with `npm run test:live`')
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'clawboo-live-')))
  const stateDir = join(dir, 'state')
  const configPath = join(stateDir, 'openclaw.json')
  const [port, token] = [await freePort(), randomBytes(24).toString('hex')]
  const model = await startScriptedModel({ models: ['boo', 'other'], keepRequests: 1000 })
  await mkdir(stateDir)
  await mkdir(join(dir, 'workspace'))
  const manifest = join(installation, 'node_modules/openclaw/package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const config = mergePatch(leanConfig({ dir, port, token, modelUrl: model.url, version }), options.config ?? {})
  await writeFile(configPath, JSON.stringify(config, null, 2))

  const start = () => startPatiently({ installation, dir, stateDir, port, untilReady: options.untilReady ?? true })
  let running: RunningGateway | null
  try {
    running = await start()
  } catch (error) {
    await model.close()
    await rm(dir, { recursive: true, force: true })
    throw error
  }
  const terminate = async () => {
    const code = (await running?.end('SIGTERM')) ?? null
    running = null
    return code
  }
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    token,
    dir,
    stateDir,
    configPath,
    version,
    model,
    pid: () => running?.pid ?? null,
    log: () => logEnd(dir),
    async kill() {
      await running?.end('SIGKILL')
      running = null
    },
    terminate,
    async restart() {
      await terminate()
      running = await start()
    },
    async stop() {
      await terminate()
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

interface RunningGateway {
  readonly pid: number
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

interface StartOrder {
  readonly installation: string
  readonly dir: string
  readonly stateDir: string
  readonly port: number
  readonly untilReady: boolean
}

async function startPatiently(order: StartOrder, left = STARTS - 1): Promise<RunningGateway> {
  try {
    return await startProcess(order)
  } catch (error) {
    if (left === 0) throw error
    return startPatiently(order, left - 1)
  }
}

async function startProcess(order: StartOrder): Promise<RunningGateway> {
  const child = await spawnGateway(order)
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const processes = { group: child.pid!, home: order.dir }
  const watch = watchForOrphans(processes)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (signal === 'SIGTERM' && child.exitCode === null) {
      child.kill('SIGTERM')
      await Promise.race([exited, pause(STOPPED_WITHIN_MS)])
    }
    await endRuntime(processes)
    const code = await exited
    await watch.dismiss()
    return code
  }
  try {
    if (order.untilReady) await untilReady(child, order)
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  return { pid: child.pid!, end }
}

async function spawnGateway({ installation, dir, stateDir, port }: StartOrder): Promise<ChildProcess> {
  const modules = join(installation, 'node_modules')
  const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  // Shared by all runs, because the compile cache in it halves the start time.
  const temporary = join(installation, 'tmp')
  await mkdir(temporary, { recursive: true })
  const output = openSync(join(dir, 'output.log'), 'a')
  const child = spawn(node, [join(modules, 'openclaw', 'openclaw.mjs'), 'gateway', '--port', String(port)], {
    cwd: dir,
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      TMPDIR: temporary,
      OPENCLAW_STATE_DIR: stateDir,
      OPENCLAW_SKIP_CHANNELS: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_NO_RESPAWN: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      OPENCLAW_EXEC_SHELL_SNAPSHOT: '0',
    },
  })
  closeSync(output)
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  return child
}

async function untilReady(child: ChildProcess, { port, dir }: StartOrder): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(
        `the Gateway ended with ${child.exitCode ?? child.signalCode} before it was ready:\n${logEnd(dir)}`,
      )
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error(`the Gateway was not ready in time:\n${logEnd(dir)}`)
    await pause(250)
  }
}

function logEnd(dir: string): string {
  return readFileSync(join(dir, 'output.log'), 'utf8').slice(-8000)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
