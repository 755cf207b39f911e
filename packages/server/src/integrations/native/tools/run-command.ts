import { setTimeout as delay } from 'node:timers/promises'
import type { CommandEnd, CommandRequest, CommandSession } from '../exec/command-session.ts'
import type { CommandSessions } from '../exec/command-sessions.ts'
import { failure, success } from './define-tool.ts'
import type { ToolResult } from './tool.ts'

const TAIL_CHARS = 2000
/** How long the pipes of a shell that ended may stay open before what it left behind counts as running on. */
const LEFT_BEHIND_MS = 500

export interface RunOptions {
  /** Milliseconds until it goes on in the background; `not` = at once; `until-the-end` = it never does. */
  readonly wait: number | 'not' | 'until-the-end'
  /** The command as it was asked for. */
  readonly shown: string
  readonly signal: AbortSignal
}

/** Runs a command and tells what came of it, or where to find it while it goes on. */
export async function runCommand(
  sessions: CommandSessions,
  request: CommandRequest,
  options: RunOptions,
): Promise<ToolResult> {
  const session = sessions.start(request)
  if (session === null) return failure('Too many commands run already; stop one first. Nothing was run.')
  if (options.wait === 'not') {
    sessions.keep(session)
    return asRunning(session, options.shown)
  }
  const outcome = await firstOf(session, options)
  if (outcome === 'aborted') {
    void session.stop()
    return failure('Stopped; the command may have done a part of its work.', details(session, 'aborted'))
  }
  if (outcome === 'goes-on') {
    if (options.wait !== 'until-the-end') {
      sessions.keep(session)
      return asRunning(session, options.shown)
    }
    await session.stop()
  }
  return describeEnd(session, await session.ended)
}

type Outcome = 'ended' | 'goes-on' | 'aborted'

async function firstOf(session: CommandSession, { wait, signal }: RunOptions): Promise<Outcome> {
  const over = new AbortController()
  const goesOn = async (milliseconds: number): Promise<Outcome> => {
    await delay(milliseconds, undefined, { signal: over.signal })
    return 'goes-on'
  }
  const races: Promise<Outcome>[] = [
    session.ended.then(() => 'ended'),
    session.shellEnded.then(() => goesOn(LEFT_BEHIND_MS)),
    new Promise((resolve) => {
      if (signal.aborted) resolve('aborted')
      signal.addEventListener('abort', () => resolve('aborted'), { once: true, signal: over.signal })
    }),
  ]
  if (typeof wait === 'number') races.push(goesOn(wait))
  for (const race of races) race.catch(() => {})
  try {
    return await Promise.race(races)
  } finally {
    over.abort()
  }
}

function asRunning(session: CommandSession, shown: string): ToolResult {
  const text = session.output.text()
  // Shown here, so a poll does not tell it again.
  if (text.length <= TAIL_CHARS) session.output.takePending()
  const tail = text.slice(-TAIL_CHARS)
  const command = shown.length > 200 ? `${shown.slice(0, 200)}...` : shown
  const lines = [`Running in the background as session ${session.id}: ${command}`]
  if (tail !== '') lines.push('Its last output:', tail)
  lines.push(`Use process with sessionId "${session.id}" to poll, read, write to or kill it.`)
  return success(lines.join('\n'), details(session, 'running'))
}

/** The end of a command in words, after what it printed. */
function describeEnd(session: CommandSession, end: CommandEnd): ToolResult {
  const words = endInWords(session, end)
  const dropped = session.output.dropped()
  const notice = dropped > 0 ? `[${dropped} characters before this are not kept.]\n` : ''
  const text = `${notice}${session.output.text()}`
  const good = end.exitCode === 0 && words === null
  const status = good ? 'completed' : 'failed'
  const shown = [text.trimEnd(), words].filter((part) => part !== null && part !== '').join('\n\n')
  return (good ? success : failure)(shown === '' ? '(no output)' : shown, details(session, status, end))
}

/** null when there is nothing to say: it ended well. */
export function endInWords(session: CommandSession, end: CommandEnd): string | null {
  if (end.failure !== null) return `The command could not be started (${end.failure}).`
  if (end.timedOut) return `Stopped: it ran longer than ${session.request.timeoutMs / 1000} seconds.`
  if (end.stopped) return 'Stopped.'
  if (end.signal !== null) return `Ended by ${end.signal}.`
  return end.exitCode === 0 ? null : `Exit code ${end.exitCode}.`
}

function details(session: CommandSession, status: 'completed' | 'failed' | 'running' | 'aborted', end?: CommandEnd) {
  return {
    status,
    sessionId: session.id,
    cwd: session.request.cwd,
    ...(end ? { exitCode: end.exitCode, signal: end.signal, timedOut: end.timedOut } : {}),
    ...(end ? { durationMs: (session.endedAt() ?? session.startedAt) - session.startedAt } : {}),
  }
}
