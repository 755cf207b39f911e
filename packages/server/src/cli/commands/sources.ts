import type { Client, OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { closestWord } from '../closest-word.ts'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { withClient } from '../server/running-server.ts'
import { askSecret, readSecret } from '../terminal/ask-secret.ts'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

export const sourcesCommand: Command = {
  name: 'sources',
  summary: 'list sources of Boos and connect them',
  actions: [
    { name: 'list', summary: 'Lists every source with its state and the age of its data.', run: withClient(list) },
    {
      name: 'connect',
      summary: 'Connects a source and keeps it connected.',
      parameters: ['<source>'],
      options: {
        address: { type: 'text', value: 'address', summary: 'the address; by default the one found on this machine' },
      },
      run: withClient(connect),
    },
    {
      name: 'disconnect',
      summary: 'Disconnects a source and deletes its secret. Its Boos stay as last seen.',
      parameters: ['<source>'],
      run: withClient(disconnect),
    },
  ],
  examples: ['sources', 'sources connect <source>', 'sources connect <source> --address <address> < secret.txt'],
  notes: [
    'Name a source by its id or its name.',
    'A secret is never an argument, because other users of the machine can read arguments. You are asked for it, or it is',
    'read from standard input if that is not a terminal (`< /dev/null` sends none).',
  ],
}

type Found = OperationOutput<'findUpstreams'>['upstreams'][number]

async function list(client: Client): Promise<Outcome> {
  const { sources } = await client.listSources({})
  const listed = await Promise.all(
    sources.map(async (source) => {
      if (!source.connectable) return source
      return { ...source, connection: await client.getConnection({ params: { sourceId: source.sourceId } }) }
    }),
  )
  return done({ sources: listed }, sourcesText(listed, Date.now()))
}

async function connect(client: Client, args: Arguments, context: Context): Promise<Outcome> {
  const source = await resolveSource(client, args.needed(0))
  const params = { sourceId: source.sourceId }
  const { upstreams } = await client.findUpstreams({ params })
  const address = args.text('address') ?? addressOf(upstreams, source)
  const found = upstreams.find((upstream) => upstream.address === address)
  const send = (secret: string | null) =>
    client.connectSource({ params, body: { address, ...(secret === null ? {} : { secret }) } })
  if (!context.stdin.isTTY) return connectionOutcome(source, await send(await readSecret(context)))
  const label = await secretLabel(client, source)
  let secret: string | null = null
  if (found?.secretKnown === false) {
    secret = await askSecret(label, context)
    if (secret === null) return done({ connected: false }, 'Nothing was changed', EXIT_CODES.failed)
  }
  const answer = await send(secret)
  const reason = SECRET_WANTED[answer.problem?.code ?? '']
  if (reason === undefined) return connectionOutcome(source, answer)
  const secondSecret = await askSecret(`${label} (${reason})`, context)
  return connectionOutcome(source, secondSecret === null ? answer : await send(secondSecret))
}

const SECRET_WANTED: Readonly<Record<string, string>> = {
  secret_missing: 'required',
  secret_wrong: 'the last one was wrong',
}

async function disconnect(client: Client, args: Arguments): Promise<Outcome> {
  const source = await resolveSource(client, args.needed(0))
  const connection = await client.disconnectSource({ params: { sourceId: source.sourceId } })
  const stay = source.agentCount === 0 ? '' : '; its Boos stay as last seen'
  return done(connection, `${connectionText(source.label, connection)}${stay}`)
}

function connectionOutcome(source: Source, connection: Connection): Outcome {
  const isFine = connection.state === 'connected' && connection.problem === null
  return done(connection, connectionText(source.label, connection), isFine ? EXIT_CODES.ok : EXIT_CODES.failed)
}

function addressOf(upstreams: readonly Found[], { label }: Source): string {
  const running = upstreams.filter((upstream) => upstream.isRunning)
  const [only, ...more] = running.length > 0 ? running : upstreams
  if (!only) throw wrongUsage(`no ${label} was found on this machine; pass its address with --address`)
  if (more.length === 0) return only.address
  const addresses = [only, ...more].map(({ address }) => address).join(', ')
  throw wrongUsage(`found ${more.length + 1} of ${label}; choose one with --address: ${addresses}`)
}

async function secretLabel(client: Client, { sourceId }: Source): Promise<string> {
  const { runtimes } = await client.listRuntimes({})
  return runtimes.find(({ id }) => id === sourceId)?.connecting?.secretLabel ?? 'Secret'
}

async function resolveSource(client: Client, typed: string): Promise<Source> {
  const { sources } = await client.listSources({})
  const wanted = typed.toLowerCase()
  const found =
    sources.find(({ sourceId }) => sourceId === typed) ?? sources.find(({ label }) => label.toLowerCase() === wanted)
  if (found) return found
  const names = sources.map(({ label }) => label)
  const meant = closestWord(typed, names)
  const hint = meant ? `did you mean "${meant}"?` : `known: ${names.join(', ')}`
  throw new ClawbooError('source_not_found', `there is no source "${typed}"; ${hint}`)
}

export type Source = OperationOutput<'listSources'>['sources'][number]
export type Connection = OperationOutput<'getConnection'>

export interface ListedSource extends Source {
  /** Absent for a source that cannot be connected. */
  readonly connection?: Connection
}

export function sourcesText(sources: readonly ListedSource[], now: number): string {
  const rows = sources.map((source) => [
    source.label,
    stateWord(source),
    source.lastSyncAt === null ? '-' : `${ageWords(now - source.lastSyncAt)}${source.stale ? ', as last seen' : ''}`,
    String(source.agentCount),
    problemOf(source) ?? '-',
  ])
  return formatColumns([['SOURCE', 'STATE', 'AGE', 'BOOS', 'PROBLEM'], ...rows])
}

/** Describes a connection after connecting or disconnecting. */
export function connectionText(label: string, connection: Connection): string {
  const { state, address, version, problem } = connection
  const name = line(label)
  const at = address === null ? '' : ` at ${line(address)}`
  if (state === 'connected' && !problem)
    return `${name} is connected${at}${version === null ? '' : `, version ${line(version)}`}`
  if (!problem) return `${name} is ${STATE_WORDS[state]}${at}`
  const goesOn = state === 'connecting' || state === 'reconnecting' ? ' Clawboo keeps trying.' : ''
  return [`${name} is ${STATE_WORDS[state]}${at}: ${sentence(problem.message)}${goesOn}`, line(problem.remedy)].join(
    '\n',
  )
}

const STATE_WORDS: Readonly<Record<Source['state'], string>> = {
  connected: 'connected',
  connecting: 'connecting',
  reconnecting: 'trying again',
  disconnected: 'not connected',
}

function stateWord(source: Source): string {
  if (source.trouble === 'broken') return 'broken'
  return source.connectable || source.state !== 'connected' ? STATE_WORDS[source.state] : 'ready'
}

function problemOf({ connection, detail }: ListedSource): string | undefined {
  const problem = connection?.problem
  return problem ? `${sentence(problem.message)} ${problem.remedy}` : detail
}

/** Cleans text from outside and puts it on one line. */
function line(text: string): string {
  return visibleText(text.replaceAll(/[\n\t]+/g, ' ')).trim()
}

function sentence(text: string): string {
  const clean = line(text)
  const start = clean.charAt(0).toUpperCase() + clean.slice(1)
  return /[.!?]$/.test(start) ? start : `${start}.`
}

function ageWords(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
