import { setTimeout as delay } from 'node:timers/promises'
import type { CommandSession, CommandSessions } from '../../exec/command-sessions.ts'
import { defineTool, failure, success } from '../define-tool.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { describeCommandEnd } from './run-command.ts'

const LOG_DEFAULT_LINES = 200
const ACTIONS = ['list', 'poll', 'log', 'write', 'send-keys', 'submit', 'paste', 'kill', 'clear', 'remove'] as const

interface ProcessInput {
  readonly action: (typeof ACTIONS)[number]
  readonly sessionId?: string | null
  readonly data?: string | null
  readonly keys?: readonly string[] | null
  readonly eof?: boolean | null
  readonly offset?: number | null
  readonly limit?: number | null
  readonly timeout?: number | null
}

export function createProcessTool(sessions: CommandSessions): Tool {
  return defineTool({
    name: 'process',
    description:
      'Manages commands that run in the background: list; poll (new output); log (lines; the last 200 unless offset or limit is given); write, submit (adds a newline), paste and send-keys to its input; kill; clear (forget a finished command); remove (kill and forget).',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: [...ACTIONS] },
        sessionId: { type: 'string', minLength: 1, description: 'Required for every action except list.' },
        data: { type: 'string', description: 'Text for write, submit and paste.' },
        keys: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string', minLength: 1 },
          description: 'For send-keys: Enter, Tab, Space, Escape, Backspace, Up, Down, Left, Right, C-c, C-d, or text.',
        },
        eof: { type: 'boolean', description: 'With write: close the input afterwards.' },
        offset: { type: 'integer', minimum: 1, description: 'For log: first line.' },
        limit: { type: 'integer', minimum: 1, description: 'For log: number of lines.' },
        timeout: {
          type: 'number',
          minimum: 0,
          maximum: 120_000,
          description: 'For poll: milliseconds to wait for more output.',
        },
      },
      required: ['action'],
      additionalProperties: false,
    },
    async run(raw, context) {
      const input = raw as unknown as ProcessInput
      if (input.action === 'list') return list(sessions)
      if (!input.sessionId) return failure(`"sessionId" is required for ${input.action}.`)
      const session = sessions.get(input.sessionId)
      if (session === null) return failure(`There is no session "${input.sessionId}".`)
      return act(sessions, session, input, context.signal)
    },
  })
}

async function act(
  sessions: CommandSessions,
  session: CommandSession,
  input: ProcessInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  switch (input.action) {
    case 'poll':
      return poll(session, input.timeout ?? 0, signal)
    case 'log':
      return log(session, input.offset ?? null, input.limit ?? null)
    case 'write':
    case 'paste':
      return write(session, input.data ?? '', input.action === 'write' && input.eof === true)
    case 'submit':
      return write(session, `${input.data ?? ''}\n`, false)
    case 'send-keys':
      return sendKeys(session, input.keys ?? [])
    case 'kill':
      if (session.end() !== null) return success(`Session ${session.id} has already ended.`)
      await Promise.race([session.stop(), aborted(signal)])
      return success(`Session ${session.id} was stopped.`, { sessionId: session.id })
    case 'clear':
      if (!sessions.forget(session.id)) return failure(`Session ${session.id} is still running; use kill or remove.`)
      return success(`Session ${session.id} was forgotten.`)
    case 'remove':
      await session.stop()
      await session.ended
      sessions.forget(session.id)
      return success(`Session ${session.id} was stopped and forgotten.`)
    case 'list':
      return list(sessions)
  }
}

function list(sessions: CommandSessions): ToolResult {
  const all = sessions.list()
  if (all.length === 0) return success('No commands are running in the background.', { sessions: [] })
  const rows = all.map((session) => {
    const command = session.request.command.replaceAll(/\s+/g, ' ')
    return `${session.id}  ${stateOf(session)}  ${command.length > 120 ? `${command.slice(0, 120)}...` : command}`
  })
  const details = all.map((session) => ({ id: session.id, startedAt: session.startedAt, end: session.end() }))
  return success(rows.join('\n'), { sessions: details })
}

function stateOf(session: CommandSession): string {
  const end = session.end()
  return end === null ? 'running' : (describeCommandEnd(session, end) ?? 'Exit code 0.')
}

async function poll(session: CommandSession, waitMs: number, signal: AbortSignal): Promise<ToolResult> {
  const over = new AbortController()
  if (waitMs > 0 && session.end() === null) {
    // The delay rejects when it is cancelled below; that error has no meaning.
    const pause = delay(waitMs, undefined, { signal: over.signal }).catch(() => {})
    await Promise.race([session.ended, pause, aborted(signal)])
    over.abort()
  }
  const { stdout, stderr, lost } = session.output.takePending()
  const sections = [
    lost > 0 ? `[${lost} characters of new output were dropped; log has more.]` : '',
    stdout.trimEnd(),
    stderr === '' ? '' : `stderr:\n${stderr.trimEnd()}`,
  ].filter((section) => section !== '')
  const output = sections.length === 0 ? '(no new output)' : sections.join('\n')
  const end = session.end()
  return success(`${output}\n\nState: ${stateOf(session)}`, { sessionId: session.id, running: end === null, end })
}

function log(session: CommandSession, offset: number | null, limit: number | null): ToolResult {
  const text = session.output.text()
  const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  const count = limit ?? LOG_DEFAULT_LINES
  const first = offset === null ? Math.max(0, lines.length - count) : offset - 1
  const shown = lines.slice(first, first + count)
  if (shown.length === 0) return success(lines.length === 0 ? '(no output)' : `There are only ${lines.length} lines.`)
  const dropped = session.output.dropped()
  const cut = dropped > 0 ? `; ${dropped} characters before line 1 were dropped` : ''
  const notice = `[Lines ${first + 1}-${first + shown.length} of ${lines.length}${cut}.]`
  return success(`${shown.join('\n')}\n\n${notice}`, { sessionId: session.id, totalLines: lines.length })
}

async function write(session: CommandSession, data: string, eof: boolean): Promise<ToolResult> {
  if (!(await session.write(data))) return failure(noInput(session))
  if (eof) session.closeInput()
  return success(`Wrote ${data.length} characters to session ${session.id}${eof ? ' and closed its input' : ''}.`)
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ enter: '\n', tab: '\t', space: ' ', escape: '\x1b', backspace: '\x7f' }),
  ...Object.entries({ up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D' }),
])

/** There is no terminal that turns C-c into a signal and C-d into the end of the input, so this function does it. */
async function sendKeys(session: CommandSession, keys: readonly string[]): Promise<ToolResult> {
  if (keys.length === 0) return failure('"keys" is empty.')
  for (const key of keys) {
    const name = key.toLowerCase()
    if (name === 'c-c') session.interrupt()
    else if (name === 'c-d') session.closeInput()
    else if (!(await session.write(KEYS.get(name) ?? key))) return failure(noInput(session))
  }
  return success(`Sent ${keys.length} keys to session ${session.id}.`)
}

function noInput(session: CommandSession): string {
  if (session.end() !== null) return `Session ${session.id} has ended.`
  return `Session ${session.id} accepts no input; start the command with background: true to write to it.`
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
