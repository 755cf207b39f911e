import { randomUUID } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { ApiError, type Client, type OperationOutput } from '@clawboo/api/client'
import { MESSAGE_MODES, type MessageMode, type MessageRecord, type RuntimeEvent } from '@clawboo/core/executor'
import type { Arguments, Command, Context, Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { resolveAgent } from '../resolve-name.ts'
import { followMessage } from '../say/follow-message.ts'
import { createRunPrinter } from '../say/run-printer.ts'
import { checkTeamArguments, sayToTeam } from '../say/say-to-team.ts'
import { wentAway } from '../server/follow-agent.ts'
import { demandServer, type RunningServer } from '../server/running-server.ts'
import { hearInterrupt } from '../terminal/hear-interrupt.ts'

export const sayCommand: Command = {
  name: 'say',
  summary: 'message a Boo or a team and watch the reply',
  actions: [
    {
      name: '',
      summary: 'Sends a message to a Boo and prints its reply as it arrives. With --team, posts to the team’s room.',
      parameters: ['<agent>', '[text]'],
      options: {
        mode: { type: 'text', value: 'mode', summary: `if the Boo is already running: ${MESSAGE_MODES.join(', ')}` },
        model: { type: 'text', value: 'provider/model', summary: 'the model for this message' },
        team: { type: 'text', value: 'team', summary: 'post to this team’s room; leave out <agent>' },
        to: { type: 'texts', value: 'agents', summary: 'with --team: the Boos that should reply, separated by commas' },
        'no-wait': { type: 'flag', summary: 'send the message and exit' },
      },
      run: say,
    },
  ],
  examples: [
    'say Ada "What is in your workspace?"',
    'say Ada - < question.txt',
    'say Ada "And now in French" --mode followup',
    'say --team Garden "What is next?" --to Ada,Bob',
  ],
  notes: [
    'With --team the modes are queue and steer. Posts are printed until the exchange ends.',
    'Ctrl-C stops the run, or withdraws a message that has not been delivered. Press it again to exit at once.',
    'With --json each line is one event of the run.',
    'In a terminal you are asked to approve commands here. Otherwise, approve them in the page.',
  ],
}

const NEWEST_MESSAGES = 200

async function say(args: Arguments, context: Context): Promise<Outcome> {
  if (args.text('team') !== undefined) return sayInRoom(args, context)
  if (args.texts('to').length > 0) throw wrongUsage('--to works only with --team')
  const mode = args.text('mode')
  if (mode !== undefined && !MESSAGE_MODES.includes(mode as MessageMode))
    throw wrongUsage(`--mode takes ${MESSAGE_MODES.join(', ')}, not "${mode}"`)
  const typed = args.parameter(1)
  if (typed === undefined) throw wrongUsage('<text> is missing: clawboo say <agent> <text>')
  const server = await demandServer(context.config)
  const agent = await resolveAgent(server.client, args.needed(0))
  const text = await readText(typed, context)
  const model = args.text('model')
  const body = {
    id: randomUUID(),
    text,
    ...(mode === undefined ? {} : { mode: mode as MessageMode }),
    ...(model === undefined ? {} : { model }),
  }
  const leave = new AbortController()
  // Subscribe before sending: the first event may arrive together with the response.
  const events = await server.follow(agent.id, leave.signal)
  const interrupt = onInterrupt(server.client, agent.id, body.id)
  try {
    const sent = await server.client.sendMessage({ params: { agentId: agent.id }, body })
    if (args.flag('no-wait')) return { printed: { data: sent, text: `${sent.verdict}\n` }, exitCode: EXIT_CODES.ok }
    interrupt.setRun(sent.runId)
    return await showAnswer({ server, context, events, sent, interrupt })
  } finally {
    interrupt.dispose()
    leave.abort()
  }
}

async function sayInRoom(args: Arguments, context: Context): Promise<Outcome> {
  checkTeamArguments(args)
  const server = await demandServer(context.config)
  return sayToTeam(server, args, await readText(args.needed(0), context), context)
}

async function readText(typed: string, { stdin }: Context): Promise<string> {
  const text = typed === '-' ? await readAll(stdin) : typed
  if (text.trim() === '') throw wrongUsage('the message is empty')
  return text
}

interface Showing {
  readonly server: RunningServer
  readonly context: Context
  readonly events: AsyncIterable<RuntimeEvent>
  readonly sent: OperationOutput<'sendMessage'>
  readonly interrupt: ReturnType<typeof onInterrupt>
}

async function showAnswer({ server, context, events, sent, interrupt }: Showing): Promise<Outcome> {
  const { client } = server
  const { id: messageId, agentId } = sent.message
  const printer = createRunPrinter(context, server)
  try {
    const end = await followMessage({
      messageId,
      runId: sent.runId,
      events,
      look: () => lookUp(client, agentId, messageId),
      show: printer.show,
      onRun: interrupt.setRun,
    })
    if (interrupt.happened) return { printed: null, exitCode: 130 }
    if (end === null) throw wentAway()
    if (end.type === 'answered') {
      const isComplete = end.event.type === 'done' && end.event.outcome === 'completed'
      return { printed: null, exitCode: isComplete ? EXIT_CODES.ok : EXIT_CODES.failed }
    }
    const { state, reason } = end.message
    const message = `${UNDELIVERED_WORDS[state] ?? state}${reason ? `: ${reason}` : ''}`
    await printer.tell(message)
    const data = { error: { code: `message_${state}`, message } }
    return { printed: context.json ? { data, text: '' } : null, exitCode: EXIT_CODES.failed }
  } finally {
    await printer.close()
  }
}

const UNDELIVERED_WORDS: Readonly<Record<string, string>> = {
  withdrawn: 'the message was withdrawn before the Boo received it',
  dropped: 'the message was dropped from the queue',
  failed: 'the message could not be delivered',
  uncertain: 'it is unknown whether the message was delivered',
}

/** Returns the current message, or null when the server is unavailable; the event stream reports that. */
async function lookUp(client: Client, agentId: string, messageId: string): Promise<MessageRecord | null> {
  try {
    const { messages } = await client.listMessages({ params: { agentId }, query: { limit: NEWEST_MESSAGES } })
    return messages.find(({ id }) => id === messageId) ?? null
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)) return null
    throw error
  }
}

/** Ctrl-C stops the run of the message, or withdraws a message that still waits for a run. */
function onInterrupt(client: Client, agentId: string, messageId: string) {
  let runId: string | null = null
  const act = () => {
    const request = runId
      ? client.stopRun({ params: { runId } })
      : client.withdrawMessage({ params: { agentId, messageId } })
    // If the request is too early, `setRun` repeats it; if it is too late, the events show how the run ended.
    request.catch(() => {})
  }
  const interrupt = hearInterrupt(act)
  return Object.assign(interrupt, {
    setRun(run: string | null) {
      runId = run
      if (interrupt.happened) act()
    },
  })
}
