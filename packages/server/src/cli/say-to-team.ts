import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, type OperationOutput } from '@clawboo/api/client'
import type { EndReason } from '@clawboo/core/team-chat'
import type { Context, Outcome } from './command.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { wentAway } from './follow-agent.ts'
import { hearInterrupt } from './hear-interrupt.ts'
import { type Arguments, wrongUsage } from './parse-arguments.ts'
import { print } from './print.ts'
import { resolveTeam } from './resolve-name.ts'
import type { RunningServer } from './running-server.ts'
import { type NameOf, readNames } from './task-text.ts'
import { visibleText } from './visible-text.ts'

type Post = OperationOutput<'readRoom'>['posts'][number]
type Exchange = OperationOutput<'getExchange'>

const MODES = ['queue', 'steer'] as const
const LOOK_MS = 250
const POSTS = 200

/** What does not fit a room, said before anything is sent. */
export function checkTeamArguments(args: Arguments): void {
  const mode = args.text('mode')
  if (args.parameter(1) !== undefined) throw wrongUsage('with --team only the text is named: say --team <team> <text>')
  if (args.text('model') !== undefined) throw wrongUsage('--model is for one Boo; it does not go with --team')
  if (mode !== undefined && !MODES.includes(mode as (typeof MODES)[number]))
    throw wrongUsage(`--mode takes ${MODES.join(' or ')} with --team, not "${mode}"`)
}

/** Says something to a team's room, prints what is posted there until it has ended, and says why it did. */
export async function sayToTeam(
  server: RunningServer,
  args: Arguments,
  text: string,
  context: Context,
): Promise<Outcome> {
  const { client } = server
  const team = await resolveTeam(client, args.text('team')!)
  const mode = args.text('mode') as (typeof MODES)[number] | undefined
  const to = args.texts('to').flatMap((names) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
  const names = await readNames(client)
  const interrupt = onInterrupt(client, team.id)
  try {
    const body = { teamId: team.id, body: text, to, ...(mode === undefined ? {} : { mode }) }
    const sent = await client.startExchange({ body })
    interrupt.sent(sent)
    if (args.flag('no-wait'))
      return {
        printed: { data: sent, text: `${sent.joined ? 'joined' : sent.exchange.status}\n` },
        exitCode: EXIT_CODES.ok,
      }
    const ended = await printToEnd({ client, context, names }, sent.post.seq, sent.exchange.id)
    await tellEnd(context, ended)
    if (interrupt.happened) return { printed: null, exitCode: 130 }
    const isWell = ended.reason === 'no_pending_obligation' || ended.reason === 'max_turns'
    return { printed: null, exitCode: isWell ? EXIT_CODES.ok : EXIT_CODES.failed }
  } finally {
    interrupt.dispose()
  }
}

interface Showing {
  readonly client: Client
  readonly context: Context
  readonly names: NameOf
}

/** The exchange is looked at first: when it has ended, all that it posted is there to be read. */
async function printToEnd(showing: Showing, behind: number, exchangeId: string): Promise<Exchange> {
  const { client } = showing
  let seq = behind
  for (;;) {
    const exchange = await reached(client.getExchange({ params: { exchangeId } }))
    for (;;) {
      const query = { teamId: exchange.teamId, sinceSeq: String(seq), limit: String(POSTS) }
      const page = await reached(client.readRoom({ query }))
      for (const post of page.posts) await printPost(showing, post)
      seq = page.next
      if (!page.hasMore) break
    }
    if (exchange.status === 'ended') return exchange
    await pause(LOOK_MS)
  }
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.code === 'network') throw wentAway(error)
    throw error
  }
}

/** Only a line that begins with a name is one of the room's own. */
async function printPost({ context, names }: Showing, post: Post): Promise<void> {
  const { stdout, stderr, json } = context
  if (json) return print(stdout, `${JSON.stringify(post)}\n`)
  const body = visibleText(post.body).replaceAll('\n', '\n  ')
  if (post.author.kind === 'system') return print(stderr, `* ${body}\n`)
  const name = post.author.id === 'operator' ? 'You' : names(post.author.id)
  return print(stdout, `${visibleText(name).replaceAll('\n', ' ')}: ${body}\n`)
}

const ENDS: Readonly<Record<EndReason, string>> = {
  aborted: 'it was stopped',
  budget_paused: 'a budget is spent',
  no_pending_obligation: 'nobody has more to say',
  max_turns: 'the turns were used up while somebody still had to speak',
}

async function tellEnd({ stdout, stderr, json }: Context, exchange: Exchange): Promise<void> {
  if (json) return print(stdout, `${JSON.stringify({ exchange })}\n`)
  const { reason, turns, bound } = exchange
  const why = reason === null ? 'it has ended' : `${reason}: ${ENDS[reason]}`
  await print(stderr, `${why} (${turns} of at most ${bound} turns)\n`)
}

/** Ctrl-C stops what the message set going: the exchange, or its part of one that it joined. */
function onInterrupt(client: Client, teamId: string) {
  let sent: OperationOutput<'startExchange'> | null = null
  const act = () => {
    if (!sent) return
    const exchangeId = sent.exchange.id
    const body = { teamId, exchangeId, ...(sent.joined ? { chainId: sent.post.id } : {}) }
    // Too late, and the end comes by itself.
    client.stopRoom({ body }).catch(() => {})
  }
  const interrupt = hearInterrupt(act)
  return Object.assign(interrupt, {
    sent(answer: OperationOutput<'startExchange'>) {
      sent = answer
      if (interrupt.happened) act()
    },
  })
}
