import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, type OperationOutput } from '@clawboo/api/client'
import type { EndReason } from '@clawboo/core/team-chat'
import type { Arguments, Context, Outcome } from '../command.ts'
import { type NameOf, readNames } from '../commands/tasks.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { resolveTeam } from '../resolve-name.ts'
import { wentAway } from '../server/follow-agent.ts'
import type { RunningServer } from '../server/running-server.ts'
import { hearInterrupt } from '../terminal/hear-interrupt.ts'
import { print } from '../terminal/print.ts'
import { visibleText } from '../terminal/visible-text.ts'

type Post = OperationOutput<'readRoom'>['posts'][number]
type Exchange = OperationOutput<'getExchange'>

const MODES = ['queue', 'steer'] as const
const LOOK_MS = 250
const POSTS = 200

/** Refuses options that do not fit a room, before anything is sent. */
export function checkTeamArguments(args: Arguments): void {
  const mode = args.text('mode')
  if (args.parameter(1) !== undefined) throw wrongUsage('leave out <agent> with --team: say --team <team> <text>')
  if (args.text('model') !== undefined) throw wrongUsage('--model works for one Boo only; leave it out with --team')
  if (mode !== undefined && !MODES.includes(mode as (typeof MODES)[number]))
    throw wrongUsage(`--mode takes ${MODES.join(' or ')} with --team, not "${mode}"`)
}

/** Posts to a team's room, prints every post until the exchange ends, and prints why it ended. */
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

/** Reads the exchange before the posts: once it has ended, all its posts can be read. */
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

/** Starts each post with the author's name and indents its other lines, so that none of them looks like a post. */
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
  budget_paused: 'a budget is used up',
  no_pending_obligation: 'everyone has finished',
  max_turns: 'the turn limit was reached while a member still had to reply',
}

async function tellEnd({ stdout, stderr, json }: Context, exchange: Exchange): Promise<void> {
  if (json) return print(stdout, `${JSON.stringify({ exchange })}\n`)
  const { reason, turns, bound } = exchange
  const why = reason === null ? 'it has ended' : `${reason}: ${ENDS[reason]}`
  await print(stderr, `${why} (${turns} of ${bound} turns)\n`)
}

/** Ctrl-C stops the exchange that the message started, or its chain in an exchange that it joined. */
function onInterrupt(client: Client, teamId: string) {
  let sent: OperationOutput<'startExchange'> | null = null
  const act = () => {
    if (!sent) return
    const exchangeId = sent.exchange.id
    const body = { teamId, exchangeId, ...(sent.joined ? { chainId: sent.post.id } : {}) }
    // The request fails if the exchange has already ended.
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
