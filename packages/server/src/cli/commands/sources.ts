import type { Client, OperationOutput } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { askSecret, readSecret } from '../ask-secret.ts'
import { closestWord } from '../closest-word.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { type Arguments, wrongUsage } from '../parse-arguments.ts'
import { demandServer } from '../running-server.ts'
import { type Connection, connectionText, type Source, sourcesText } from '../source-text.ts'

export const sourcesCommand: Command = {
  name: 'sources',
  summary: 'say where Boos come from, and connect an upstream',
  actions: [
    { name: 'list', summary: 'Every source, how it stands and how old is what is shown of it.', run: list },
    {
      name: 'connect',
      summary: 'Connects a source to its upstream and keeps it so.',
      parameters: ['<source>'],
      options: { address: { type: 'text', value: 'address', summary: 'where it is; what is found here unless said' } },
      run: connect,
    },
    {
      name: 'disconnect',
      summary: 'Ends the connection and forgets its secret; its Boos stay, as last seen.',
      parameters: ['<source>'],
      run: disconnect,
    },
  ],
  examples: ['sources', 'sources connect <source>', 'sources connect <source> --address <address> < secret.txt'],
  notes: [
    'A source is named by its id or its name.',
    'A secret is no argument, because others on the machine can read those: it is asked for when it is needed, and read',
    'from the input when that is no terminal (`< /dev/null` gives none).',
  ],
}

type Found = OperationOutput<'findUpstreams'>['upstreams'][number]

async function list(_: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const { sources } = await client.listSources({})
  const listed = await Promise.all(
    sources.map(async (source) => {
      if (!source.connectable) return source
      return { ...source, connection: await client.getConnection({ params: { sourceId: source.sourceId } }) }
    }),
  )
  return done({ sources: listed }, sourcesText(listed, Date.now()))
}

async function connect(args: Arguments, context: Context): Promise<Outcome> {
  const { client } = await demandServer(context.config)
  const source = await resolveSource(client, args.needed(0))
  const params = { sourceId: source.sourceId }
  const { upstreams } = await client.findUpstreams({ params })
  const address = args.text('address') ?? addressOf(upstreams, source)
  const found = upstreams.find((upstream) => upstream.address === address)
  const send = (secret: string | null) =>
    client.connectSource({ params, body: { address, ...(secret === null ? {} : { secret }) } })
  if (!context.stdin.isTTY) return told(source, await send(await readSecret(context)))
  const label = await secretLabel(client, source)
  let secret: string | null = null
  if (found?.secretKnown === false) {
    secret = await askSecret(label, context)
    if (secret === null) return done({ connected: false }, 'Nothing was changed', EXIT_CODES.failed)
  }
  const answer = await send(secret)
  const why = SECRET_WANTED[answer.problem?.code ?? '']
  if (why === undefined) return told(source, answer)
  const better = await askSecret(`${label} (${why})`, context)
  return told(source, better === null ? answer : await send(better))
}

const SECRET_WANTED: Readonly<Record<string, string>> = {
  secret_missing: 'it wants one',
  secret_wrong: 'the one it got is wrong',
}

async function disconnect(args: Arguments, { config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const source = await resolveSource(client, args.needed(0))
  const connection = await client.disconnectSource({ params: { sourceId: source.sourceId } })
  const stay = source.agentCount === 0 ? '' : '; its Boos stay readable, as last seen'
  return done(connection, `${connectionText(source.label, connection)}${stay}`)
}

function told(source: Source, connection: Connection): Outcome {
  const isFine = connection.state === 'connected' && connection.problem === null
  return done(connection, connectionText(source.label, connection), isFine ? EXIT_CODES.ok : EXIT_CODES.failed)
}

function addressOf(upstreams: readonly Found[], { label }: Source): string {
  const running = upstreams.filter((upstream) => upstream.isRunning)
  const [only, ...more] = running.length > 0 ? running : upstreams
  if (!only) throw wrongUsage(`nothing of ${label} was found on this machine; say where it is with --address`)
  if (more.length === 0) return only.address
  const addresses = [only, ...more].map(({ address }) => address).join(', ')
  throw wrongUsage(`${more.length + 1} of ${label} were found; choose one with --address: ${addresses}`)
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
