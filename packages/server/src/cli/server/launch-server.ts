import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import { serverEnvironment } from '../../config.ts'
import { homeFiles, makeHome, readServerNote, type ServerNote } from '../../home.ts'
import { findInstallation, SERVER_MEMORY_ENVIRONMENT, SERVER_NODE_FLAGS } from '../../installation.ts'
import type { Context } from '../command.ts'
import { answers } from './running-server.ts'

export interface LaunchedServer {
  readonly child: ChildProcess
  /** Resolves when the server responds; rejects when it exits first. */
  ready(): Promise<ServerNote>
  /** The exit code; for a signal, 128 plus its number, as in a shell. */
  readonly exited: Promise<number>
}

const START_DEADLINE_MS = 60_000
const STDERR = 2
const MAX_LOG_BYTES = 10 * 1024 * 1024

/** Runs in the foreground and shares our output. With `--json` its stdout goes to stderr. */
export async function launchInFront(context: Context): Promise<LaunchedServer> {
  return launch(context, ['ignore', context.json ? STDERR : 'inherit', 'inherit'], null)
}

/** Runs in the background. Its stdout is discarded, because it contains a sign-in link; the log is kept. */
export async function launchDetached(context: Context): Promise<LaunchedServer> {
  await makeHome(context.config.home)
  const log = serverLog(context.config.home)
  mkdirSync(join(log, '..'), { recursive: true, mode: 0o700 })
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(log, `${log}.1`)
  const file = openSync(log, 'a', 0o600)
  try {
    const launched = launch(context, ['ignore', 'ignore', file], { file: log, start: statSync(log).size })
    launched.child.unref()
    return launched
  } finally {
    closeSync(file)
  }
}

function serverLog(home: string): string {
  return join(home, 'logs', 'server.log')
}

type Stdio = ['ignore', 'ignore' | 'inherit' | number, 'inherit' | number]

function launch(context: Context, stdio: Stdio, log: { file: string; start: number } | null): LaunchedServer {
  const { home } = context.config
  const child = spawn(process.execPath, [...SERVER_NODE_FLAGS, findInstallation().serverProgram], {
    stdio,
    // A separate process group: otherwise Ctrl-C would reach the server twice, from the terminal and from us.
    detached: true,
    // A person reads the terminal, so log only warnings there.
    env: {
      ...SERVER_MEMORY_ENVIRONMENT,
      ...serverEnvironment(context.env, {
        compileCache: homeFiles(home).compileCache,
        logLevel: log ? 'info' : 'warn',
      }),
    },
  })
  const exited = once(child, 'exit').then(([code, signal]: (number | string | null)[]) =>
    typeof code === 'number' ? code : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0),
  )
  let exitCode: number | null = null
  void exited.then((code) => {
    exitCode = code
  })
  return {
    child,
    exited,
    async ready() {
      for (const giveUpAt = performance.now() + START_DEADLINE_MS; performance.now() < giveUpAt; await sleep(20)) {
        if (exitCode !== null) throw await startFailure(exitCode, log)
        const note = await readServerNote(home)
        if (note && note.pid === child.pid && (await answers(note))) return note
      }
      throw new ClawbooError('internal', 'the server was not ready within a minute; run `clawboo doctor`')
    },
  }
}

async function startFailure(exitCode: number, log: { file: string; start: number } | null): Promise<ClawbooError> {
  const written = log ? (await readFile(log.file)).subarray(log.start).toString('utf8') : ''
  const why = /^clawboo: (.*)$/m.exec(written)?.[1] ?? `the server exited with code ${exitCode} before it was ready`
  return new ClawbooError(exitCode === 3 ? 'server_running' : 'internal', log ? `${why} (log: ${log.file})` : why)
}
