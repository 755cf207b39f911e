import { setTimeout as sleep } from 'node:timers/promises'
import { keepStart } from '../../../processes/bounded-output.ts'
import { childEnvironment } from '../../../processes/child-environment.ts'
import { startProcess } from '../../../processes/start-process.ts'
import { RefusedError, refuse } from '../refusal.ts'

export interface GitProgram {
  /** The PATH without relative entries, so that no project can supply its own `git`. */
  readonly path: string
  /** An empty home, so that no configuration, credentials or ignore file of a person is read. */
  readonly home: string
}

export interface GitCall {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: Buffer | string
  /** Ends git after this many bytes and cuts the output. Otherwise too much output is a failure. */
  readonly cutAfter?: number
  /** Exit codes other than 0 that are not failures. */
  readonly answers?: readonly number[]
}

export interface GitOutput {
  readonly code: number
  readonly stdout: Buffer
  readonly cut: boolean
}

const MOST_OUTPUT = 256 * 1024 * 1024
const MOST_ERROR_OUTPUT = 64 * 1024
const MOST_TIME = 10 * 60_000

/** Settings that a repository must not choose. For filters, drivers and attributes see shadow-repository.ts. */
const OVERRIDES = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.excludesFile=/dev/null',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.askPass=',
  'core.sshCommand=false',
  'credential.helper=',
  'protocol.allow=never',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
].flatMap((pair) => ['-c', pair])

/** Git fails while another git process is adding a worktree: the folder exists, but its file is still empty. */
const HALF_MADE = /failed to read worktrees\/[^/]+\/commondir/
const HALF_MADE_TRIES = 20
const HALF_MADE_WAIT_MS = 50

/** Runs git without a terminal, hooks, a network or the person's configuration. Throws a `RefusedError`. */
export async function runGit(program: GitProgram, args: readonly string[], call: GitCall): Promise<GitOutput> {
  let ended = await start(program, args, call)
  for (let tries = 1; ended.code === 128 && HALF_MADE.test(ended.stderr) && tries < HALF_MADE_TRIES; tries++) {
    await sleep(HALF_MADE_WAIT_MS)
    ended = await start(program, args, call)
  }
  const { code, stdout, stderr, cut, missing } = ended
  if (missing) throw new RefusedError(refuse('git_missing', 'The program git is not installed, or not on the PATH.'))
  if (!cut && code !== 0 && !call.answers?.includes(code)) {
    const reason = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 500)
    throw new RefusedError(refuse('git_failed', `git ${args[0]} failed (${code}): ${reason || 'no error message'}`))
  }
  return { code, stdout, cut }
}

interface Ended {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
  readonly cut: boolean
  readonly missing: boolean
}

async function start(program: GitProgram, args: readonly string[], call: GitCall): Promise<Ended> {
  const stdout = keepStart(call.cutAfter ?? MOST_OUTPUT)
  const stderr = keepStart(MOST_ERROR_OUTPUT)
  const running = startProcess({
    program: 'git',
    args: ['--no-pager', '--literal-pathspecs', ...OVERRIDES, ...args],
    cwd: call.cwd,
    env: environment(program, call.env),
    stdin: call.input === undefined ? 'none' : Buffer.from(call.input),
    timeoutMs: MOST_TIME,
    boundary: 'trusted',
    onOutput(stream, chunk) {
      if (stream === 'stderr') return stderr.add(chunk)
      const isFull = stdout.omitted() > 0
      stdout.add(chunk)
      if (stdout.omitted() > 0 && !isFull) void running.stop()
    },
  })
  const end = await running.ended
  const isFull = stdout.omitted() > 0
  const isOverrun = isFull && call.cutAfter === undefined
  return {
    code: end.exitCode ?? -1,
    stdout: stdout.bytes(),
    stderr: isOverrun ? 'the output is too large' : stderr.bytes().toString('utf8'),
    cut: isFull && !isOverrun,
    missing: end.failure !== null,
  }
}

function environment(program: GitProgram, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return childEnvironment(
    { PATH: program.path },
    {
      HOME: program.home,
      XDG_CONFIG_HOME: program.home,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      // A partial clone fetches missing objects with a program that its configuration names.
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_LAZY_FETCH: '1',
      // A replaced object would let a repository show one content and merge another.
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_EDITOR: 'false',
      GIT_SSH_COMMAND: 'false',
      ...more,
    },
  )
}

/** The output as text, without the newline at its end. */
export const lineOf = (output: GitOutput): string => output.stdout.toString('utf8').replace(/\n$/, '')

/** Splits output at NUL. Latin-1 preserves every byte of a name in any encoding; see `showName`. */
export const namesOf = (stdout: Buffer): string[] => {
  const names = stdout.toString('latin1').split('\0')
  if (names.at(-1) === '') names.pop()
  return names
}

/** Turns a raw name into text for people. */
export const showName = (raw: string): string => Buffer.from(raw, 'latin1').toString('utf8')
