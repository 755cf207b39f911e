import { randomUUID } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { ApiError, type Client, type OperationOutput } from '@clawboo/api/client'
import { MESSAGE_MODES, type MessageMode, type MessageRecord, type RuntimeEvent } from '@clawboo/core/executor'
import type { Command, Context, Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wentAway } from '../follow-agent.ts'
import { followMessage } from '../follow-message.ts'
import { hearInterrupt } from '../hear-interrupt.ts'
import { type Arguments, wrongUsage } from '../parse-arguments.ts'
import { resolveAgent } from '../resolve-name.ts'
import { createRunPrinter } from '../run-printer.ts'
import { demandServer, type RunningServer } from '../running-server.ts'
import { checkTeamArguments, sayToTeam } from '../say-to-team.ts'

export const sayCommand: Command = {
  name: 'say',
  summary: 'talk to a Boo or a team and see what it does',
  actions: [
    {
      name: '',
      summary: 'Says something to a Boo and prints what it answers while it does; with --team, to its room.',
      parameters: ['<agent>', '[text]'],
      options: {
        mode: { type: 'text', value: 'mode', summary: `when it is at work: ${MESSAGE_MODES.join(', ')}` },
        model: { type: 'text', value: 'provider/model', summary: 'the model that answers, this time' },
        team: { type: 'text', value: 'team', summary: 'say it in the room of this team; then only the text is named' },
        to: { type: 'texts', value: 'agents', summary: 'with --team: the Boos that are to answer, with commas' },
        'no-wait': { type: 'flag', summary: 'send it and be done' },
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
    'With --team the modes are queue and steer, and what is posted is printed until nobody has more to say.',
    'Ctrl-C stops what the Boo is doing, or takes back what it has not got; a second one leaves at once.',
    'With --json every line is one event of the run.',
    'In a terminal you are asked before a command runs that needs your consent; elsewhere the page asks.',
  ],
}

const NEWEST_MESSAGES = 200

async function say(args: Arguments, context: Context): Promise<Outcome> {
  if (args.text('team') !== undefined) return sayInRoom(args, context)
  if (args.texts('to').length > 0) throw wrongUsage('--to goes with --team')
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
  // Before it is sent: the first word may come with the answer.
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
  if (text.trim() === '') throw wrongUsage('there is nothing to say')
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
  withdrawn: 'the message was taken back before the Boo got it',
  dropped: 'the message was dropped from the queue',
  failed: 'the message could not be delivered',
  uncertain: 'nobody can say whether the message arrived',
}

/** The message as it is now; null when the server cannot say now: that it is away, the stream tells. */
async function lookUp(client: Client, agentId: string, messageId: string): Promise<MessageRecord | null> {
  try {
    const { messages } = await client.listMessages({ params: { agentId }, query: { limit: NEWEST_MESSAGES } })
    return messages.find(({ id }) => id === messageId) ?? null
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)) return null
    throw error
  }
}

/** Ctrl-C stops the run that the message is in, and takes a message back that waits for one. */
function onInterrupt(client: Client, agentId: string, messageId: string) {
  let runId: string | null = null
  const act = () => {
    const asked = runId
      ? client.stopRun({ params: { runId } })
      : client.withdrawMessage({ params: { agentId, messageId } })
    // Too early, and it is asked again with the run; too late, and the end comes with the events.
    asked.catch(() => {})
  }
  const interrupt = hearInterrupt(act)
  return Object.assign(interrupt, {
    setRun(run: string | null) {
      runId = run
      if (interrupt.happened) act()
    },
  })
}
