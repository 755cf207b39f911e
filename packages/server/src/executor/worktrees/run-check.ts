import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { diffOf, wantFiles } from './diff-of.ts'
import { killTree } from './kill-tree.ts'
import { asRefusal, type Refusal, refuse, type Workplace } from './workplace.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface CheckOptions {
  readonly timeLimitMs?: number
  /** Added to the search path, an own home and the language; nothing of the server's is inherited. */
  readonly environment?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Check {
  readonly command: string
  /** The evidence. Null when it was ended from outside, or did not end in time. */
  readonly exitCode: number | null
  readonly end: 'exited' | 'killed' | 'timed-out' | 'aborted'
  readonly output: string
  /** How many bytes are missing in the middle of the output. */
  readonly omittedBytes: number
  readonly startedAt: number
  readonly endedAt: number
  /** The diff's hash before and after. A check that changes files is no evidence for what it left behind. */
  readonly sha256Before: string | null
  readonly sha256After: string | null
}

export type CheckResult = { readonly ok: true; readonly check: Check } | Refusal

/** After the end, for output that is still on its way. */
const PIPE_MS = 1000

/** Runs the team's check command in the workplace. The person wrote the command, so a shell reads it. */
export async function runCheck(
  context: WorktreesContext,
  workplace: Workplace,
  command: string,
  options: CheckOptions = {},
): Promise<CheckResult> {
  return asRefusal(async () => {
    if (command.trim() === '' || command.includes('\0'))
      return refuse('check_not_started', 'There is no command to run.')
    if (workplace.kind !== 'none') await wantFiles(context, workplace)
    const sha256Before = await hashOf(context, workplace)
    const startedAt = context.now()
    const ended = await run(context, workplace.folder, command, options)
    if (ended.end === 'not-started')
      return refuse('check_not_started', `The check could not be started: ${ended.output}`)
    const endedAt = context.now()
    const sha256After = await hashOf(context, workplace)
    const { end, exitCode, output, omittedBytes } = ended
    return {
      ok: true,
      check: { command, exitCode, end, output, omittedBytes, startedAt, endedAt, sha256Before, sha256After },
    }
  })
}

/** Taking it before the check also fixes when the content was last changed. */
async function hashOf(context: WorktreesContext, workplace: Workplace): Promise<string | null> {
  if (workplace.kind === 'none') return null
  const result = await diffOf(context, workplace)
  return result.ok ? result.diff.sha256 : null
}

interface Ended {
  readonly end: Check['end'] | 'not-started'
  readonly exitCode: number | null
  readonly output: string
  readonly omittedBytes: number
}

function run(context: WorktreesContext, cwd: string, command: string, options: CheckOptions): Promise<Ended> {
  const { program, limits } = context
  return new Promise((resolve) => {
    const kept = keepEnds(limits.outputBytes)
    const mark = `CLAWBOO_CHECK=${randomBytes(12).toString('hex')}`
    let cause: 'timed-out' | 'aborted' | null = null
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: {
        PATH: program.path.split(':').filter(isAbsolute).join(':'),
        HOME: context.checkHome,
        LANG: 'C.UTF-8',
        CI: '1',
        GIT_TERMINAL_PROMPT: '0',
        ...options.environment,
        CLAWBOO_CHECK: mark.slice(mark.indexOf('=') + 1),
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', kept.add)
    child.stderr.on('data', kept.add)
    let killing: Promise<void> | null = null
    const stop = (why: 'timed-out' | 'aborted' | null) => {
      if (child.pid === undefined) return
      cause ??= why
      killing ??= killTree(child.pid, mark)
    }
    const abort = () => stop('aborted')
    const timer = setTimeout(() => stop('timed-out'), options.timeLimitMs ?? limits.checkMs)
    options.signal?.addEventListener('abort', abort)
    if (options.signal?.aborted) abort()
    const finish = async (ended: Pick<Ended, 'end' | 'exitCode'>, output?: string) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', abort)
      await killing
      resolve({ ...ended, output: output ?? kept.text(), omittedBytes: kept.omitted() })
    }
    child.once('error', (error) => finish({ end: 'not-started', exitCode: null }, error.message))
    let exited: { code: number | null } | null = null
    // What it left in the background goes too, and with it whoever still holds the pipes.
    child.once('exit', (code) => {
      exited = { code }
      stop(null)
      const letGo = () => [child.stdout, child.stderr].map((pipe) => pipe.destroy())
      killing?.then(() => setTimeout(letGo, PIPE_MS).unref())
    })
    child.once('close', () => {
      const code = exited?.code ?? null
      if (cause !== null) finish({ end: cause, exitCode: null })
      else finish({ end: code === null ? 'killed' : 'exited', exitCode: code })
    })
  })
}

/** Keeps the beginning and the end of what comes in. */
function keepEnds(most: number) {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let omitted = 0
  return {
    add: (chunk: Buffer) => {
      const room = most - head.length
      head = Buffer.concat([head, chunk.subarray(0, Math.max(0, room))])
      const rest = Buffer.concat([tail, chunk.subarray(Math.max(0, room))])
      omitted += Math.max(0, rest.length - most)
      tail = rest.subarray(Math.max(0, rest.length - most))
    },
    omitted: () => omitted,
    text: () => {
      const gap = omitted > 0 ? `\n… ${omitted} bytes left out …\n` : ''
      return `${head.toString('utf8')}${gap}${tail.toString('utf8')}`
    },
  }
}
