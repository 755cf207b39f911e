import type { OperationOutput } from '@clawboo/api/client'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { findServer } from '../server/running-server.ts'
import { formatColumns } from '../terminal/format-columns.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'show server status',
  actions: [
    {
      name: '',
      summary: 'Exits with 0 if the server is running, with 3 if not.',
      run: (_, context) => readStatus(context),
    },
  ],
  examples: ['status', 'status --json', 'status > /dev/null || clawboo start --detach'],
}

async function readStatus({ config }: Context): Promise<Outcome> {
  const server = await findServer(config)
  if (server.state !== 'running') {
    const text = server.state === 'stopped' ? 'Not running' : 'Not responding: another process uses the home folder'
    return done(
      { running: false, state: server.state, home: config.home },
      `${text} (${config.home})`,
      EXIT_CODES.running,
    )
  }
  const { note, status } = server
  const uptimeMs = Math.max(0, Date.now() - note.startedAt)
  const { version, engine, agents, teams, confinement } = status
  return done(
    {
      running: true,
      url: note.url,
      pid: note.pid,
      version,
      engine,
      agents,
      teams,
      confinement,
      uptimeMs,
      home: config.home,
    },
    formatColumns([
      ['Running', note.url],
      ['Version', version],
      ['Process', String(note.pid)],
      ['Up for', durationWords(uptimeMs)],
      ['Database', engine],
      ['Boos', String(agents)],
      ['Teams', String(teams)],
      ['Home', config.home],
      ['Commands', confinementWords(confinement)],
    ]),
  )
}

function confinementWords({ isOn, reason, fix }: OperationOutput<'getStatus'>['confinement']): string {
  if (isOn) return 'confined to their own folders'
  return `not confined, so you are asked before each one. ${reason}${fix === null ? '' : ` Fix: ${fix}`}`
}

function durationWords(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}
