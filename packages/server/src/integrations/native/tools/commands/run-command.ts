import { setTimeout as delay } from 'node:timers/promises'
import type { CommandEnd, CommandRequest, CommandSession, CommandSessions } from '../../exec/command-sessions.ts'
import { failure, success } from '../define-tool.ts'
import type { ToolResult } from '../tool.ts'

const TAIL_CHARS = 2000
/** How long the pipes can stay open after the shell has ended before its children count as still running. */
const LEFT_BEHIND_MS = 500

export interface RunOptions {
  /** Milliseconds until the command moves to the background; `not` = at once; `until-the-end` = never. */
  readonly wait: number | 'not' | 'until-the-end'
  /** The command as the model wrote it. */
  readonly shown: string
  readonly signal: AbortSignal
}

/** Runs a command and returns its result, or how to reach it while it is still running. */
export async function runCommand(
  sessions: CommandSessions,
  request: CommandRequest,
  options: RunOptions,
): Promise<ToolResult> {
  const session = sessions.start(request)
  if (session === null) return failure('Too many commands are running; stop one first. Nothing was run.')
  if (options.wait === 'not') {
    sessions.keep(session)
    return asRunning(session, options.shown)
  }
  const outcome = await firstOf(session, options)
  if (outcome === 'aborted') {
    void session.stop()
    return failure('Stopped; the command may have done part of its work.', details(session, 'aborted'))
  }
  if (outcome === 'still-running') {
    if (options.wait !== 'until-the-end') {
      sessions.keep(session)
      return asRunning(session, options.shown)
    }
    await session.stop()
  }
  return resultOf(session, await session.ended)
}

type Outcome = 'ended' | 'still-running' | 'aborted'

async function firstOf(session: CommandSession, { wait, signal }: RunOptions): Promise<Outcome> {
  const over = new AbortController()
  const stillRunningAfter = async (milliseconds: number): Promise<Outcome> => {
    await delay(milliseconds, undefined, { signal: over.signal })
    return 'still-running'
  }
  const races: Promise<Outcome>[] = [
    session.ended.then(() => 'ended'),
    session.exited.then(() => stillRunningAfter(LEFT_BEHIND_MS)),
    new Promise((resolve) => {
      if (signal.aborted) resolve('aborted')
      signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over.signal })
    }),
  ]
  if (typeof wait === 'number') races.push(stillRunningAfter(wait))
  // Cancelling the delays below rejects the losers of the race; these errors must not count as unhandled.
  for (const race of races) race.catch(() => {})
  try {
    return await Promise.race(races)
  } finally {
    over.abort()
  }
}

function asRunning(session: CommandSession, shown: string): ToolResult {
  const text = session.output.text()
  // This output is shown now, so the next poll must not repeat it.
  if (text.length <= TAIL_CHARS) session.output.takePending()
  const tail = text.slice(-TAIL_CHARS)
  const command = shown.length > 200 ? `${shown.slice(0, 200)}...` : shown
  const lines = [`Running in the background as session ${session.id}: ${command}`]
  if (tail !== '') lines.push('Its last output:', tail)
  lines.push(`Use process with sessionId "${session.id}" to poll, read, write to or kill it.`)
  return success(lines.join('\n'), details(session, 'running'))
}

/** The output of a command, followed by how it ended. */
function resultOf(session: CommandSession, end: CommandEnd): ToolResult {
  const ending = describeCommandEnd(session, end)
  const dropped = session.output.dropped()
  const notice = dropped > 0 ? `[${dropped} characters before this were dropped.]\n` : ''
  const text = `${notice}${session.output.text()}`
  const good = end.exitCode === 0 && ending === null
  const status = good ? 'completed' : 'failed'
  const shown = [text.trimEnd(), ending].filter((part) => part !== null && part !== '').join('\n\n')
  return (good ? success : failure)(shown === '' ? '(no output)' : shown, details(session, status, end))
}

/** Describes how a command ended; null = it succeeded. */
export function describeCommandEnd(session: CommandSession, end: CommandEnd): string | null {
  if (end.failure !== null) return `The command could not be started (${end.failure}).`
  if (end.timedOut) return `Stopped: it ran longer than ${session.request.timeoutMs / 1000} seconds.`
  if (end.limit !== null) return LIMIT_WORDS[end.limit]
  if (end.stopped) return 'Stopped.'
  if (end.signal !== null) return `Ended by ${end.signal}.`
  return end.exitCode === 0 ? null : `Exit code ${end.exitCode}.`
}

const LIMIT_WORDS = {
  memory: 'Stopped: it used too much memory.',
  processes: 'Stopped: it started too many processes.',
  disk: 'Stopped: the disk is almost full.',
} as const

function details(session: CommandSession, status: 'completed' | 'failed' | 'running' | 'aborted', end?: CommandEnd) {
  return {
    status,
    sessionId: session.id,
    cwd: session.request.cwd,
    ...(end ? { exitCode: end.exitCode, signal: end.signal, timedOut: end.timedOut } : {}),
    ...(end ? { durationMs: (session.endedAt() ?? session.startedAt) - session.startedAt } : {}),
  }
}
