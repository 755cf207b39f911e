import { spawn } from 'node:child_process'
import { createClient } from '@clawboo/api/client'
import { ClawbooError } from '@clawboo/core'
import { readToken } from '../../access/operator-token.ts'
import { homeFiles, type ServerNote } from '../../home.ts'
import { type Arguments, type Command, type Context, done, type Outcome } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { wrongUsage } from '../parse-arguments.ts'
import { type LaunchedServer, launchDetached, launchInFront } from '../server/launch-server.ts'
import { settledServer } from '../server/running-server.ts'

export const startCommand: Command = {
  name: 'start',
  summary: 'start the server and print a sign-in link',
  actions: [
    {
      name: '',
      summary: 'Runs the server until Ctrl-C. If it is already running, prints its address.',
      options: {
        detach: { type: 'flag', summary: 'run in the background; the log is logs/server.log in the home folder' },
        open: { type: 'flag', summary: 'open the page in a browser, even outside a terminal' },
        'no-open': { type: 'flag', summary: 'do not open a browser' },
      },
      run: start,
    },
  ],
  examples: ['start', 'start --detach --no-open', 'start --detach --json'],
  notes: ['A browser opens automatically only on a desktop and from a terminal.'],
}

async function start(args: Arguments, context: Context): Promise<Outcome> {
  if (args.flag('open') && args.flag('no-open')) throw wrongUsage('use either --open or --no-open, not both')
  const wantsBrowser =
    context.config.desktop && !args.flag('no-open') && (args.flag('open') || context.stdout.isTTY === true)
  const server = await settledServer(context.config)
  if (server.state === 'silent')
    throw new ClawbooError(
      'server_running',
      `another process uses the home folder ${context.config.home} but does not respond; wait a moment, or end that process`,
    )
  if (server.state === 'running') return announce(server.note, 'is already running', wantsBrowser, context)
  if (args.flag('detach')) {
    const note = await (await launchDetached(context)).ready()
    return announce(note, 'is running', wantsBrowser, context)
  }
  return runInFront(await launchInFront(context), wantsBrowser, context)
}

async function runInFront(server: LaunchedServer, wantsBrowser: boolean, context: Context): Promise<Outcome> {
  const stop = (signal: NodeJS.Signals) => void server.child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  try {
    if (wantsBrowser || context.json) {
      const { printed } = await announce(await server.ready(), 'is running', wantsBrowser, context)
      if (context.json) context.stdout.write(`${JSON.stringify(printed?.data)}\n`)
    }
  } catch (error) {
    // In the foreground the server has already printed the error to stderr; only a JSON reader has not seen it.
    if (context.json) throw error
  }
  const exitCode = await server.exited
  for (const signal of signals) process.off(signal, stop)
  return { printed: null, exitCode }
}

async function announce(note: ServerNote, verb: string, wantsBrowser: boolean, context: Context): Promise<Outcome> {
  const token = await readToken(homeFiles(context.config.home).token)
  const client = createClient({ baseUrl: note.url, token: token ?? undefined })
  const link = await client.createSignInLink({})
  if (wantsBrowser) openBrowser(link.url, context.env)
  const { pid, url, version } = note
  return done(
    { pid, url, version, signInLink: link.url, expiresAt: link.expiresAt },
    [
      `Clawboo ${version} ${verb} at ${new URL(link.url).origin} (pid ${pid})`,
      `Sign in with this link (it works once): ${link.url}`,
    ].join('\n'),
    EXIT_CODES.ok,
  )
}

/** Opens a URL in the desktop's browser. Ignores failures: the link is printed as well. */
function openBrowser(url: string, env: Context['env']): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], {
    env,
    stdio: 'ignore',
    detached: true,
  })
  child.once('error', () => {})
  child.unref()
}
