import { randomUUID } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { ClawbooError } from '@clawboo/core'
import { endsRun, MESSAGE_MODES, type MessageMode, type RuntimeEvent } from '@clawboo/core/executor'
import type { Command, Context, Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { type Arguments, wrongUsage } from '../parse-arguments.ts'
import { resolveAgent } from '../resolve-name.ts'
import { createRunPrinter } from '../run-printer.ts'
import { demandServer, type RunningServer } from '../running-server.ts'

export const sayCommand: Command = {
  name: 'say',
  summary: 'talk to a Boo and see what it does',
  actions: [
    {
      name: '',
      summary: 'Says something to a Boo and prints what it answers while it does.',
      parameters: ['<agent>', '<text>'],
      options: {
        mode: { type: 'text', value: 'mode', summary: `when it is at work: ${MESSAGE_MODES.join(', ')}` },
        model: { type: 'text', value: 'provider/model', summary: 'the model that answers, this time' },
        'no-wait': { type: 'flag', summary: 'send it and be done' },
      },
      run: say,
    },
  ],
  examples: [
    'say Ada "What is in your workspace?"',
    'say Ada - < question.txt',
    'say Ada "And now in French" --mode followup',
  ],
  notes: [
    'Ctrl-C stops what the Boo is doing and waits until it has; a second one leaves at once.',
    'With --json every line is one event of the run.',
    'In a terminal you are asked before a command runs that needs your consent; elsewhere the page asks.',
  ],
}

async function say(args: Arguments, context: Context): Promise<Outcome> {
  const mode = args.text('mode')
  if (mode !== undefined && !MESSAGE_MODES.includes(mode as MessageMode))
    throw wrongUsage(`--mode takes ${MESSAGE_MODES.join(', ')}, not "${mode}"`)
  const server = await demandServer(context.config)
  const agent = await resolveAgent(server.client, args.needed(0))
  const typed = args.needed(1)
  const text = typed === '-' ? await readAll(context.stdin) : typed
  if (text.trim() === '') throw wrongUsage('there is nothing to say')
  const model = args.text('model')
  const body = {
    id: randomUUID(),
    text,
    ...(mode === undefined ? {} : { mode: mode as MessageMode }),
    ...(model === undefined ? {} : { model }),
  }
  const leave = new AbortController()
  // Before it is sent: the first word may come with the answer.
  const events = await server.follow(agent.id, leave.signal)
  try {
    const sent = await server.client.sendMessage({ params: { agentId: agent.id }, body })
    if (args.flag('no-wait')) return { printed: { data: sent, text: `${sent.verdict}\n` }, exitCode: EXIT_CODES.ok }
    const exitCode = await showRun({ server, context, events, messageId: body.id, runId: sent.runId })
    return { printed: null, exitCode }
  } finally {
    leave.abort()
  }
}

interface Showing {
  readonly server: RunningServer
  readonly context: Context
  readonly events: AsyncIterable<RuntimeEvent>
  readonly messageId: string
  /** null while the message waits for its run. */
  readonly runId: string | null
}

async function showRun({ server, context, events, messageId, runId: first }: Showing): Promise<number> {
  let runId = first
  let stopped = false
  const onInterrupt = () => {
    // The second one is meant for us alone.
    if (stopped) process.exit(130)
    stopped = true
    if (runId) void server.client.stopRun({ params: { runId } }).catch(() => {})
  }
  process.on('SIGINT', onInterrupt)
  const printer = createRunPrinter(context, server)
  try {
    for await (const event of events) {
      if (runId === null && delivers(event, messageId)) runId = event.runId
      if (event.runId !== runId) continue
      await printer.show(event)
      if (!endsRun(event)) continue
      if (stopped) return 130
      return event.type === 'done' && event.outcome === 'completed' ? EXIT_CODES.ok : EXIT_CODES.failed
    }
    throw new ClawbooError('server_not_running', 'the server went away before the Boo was done')
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

function delivers(event: RuntimeEvent, messageId: string): boolean {
  return event.type === 'status' && event.state === 'prompt-delivered' && event.promptId === messageId
}
