import { ClawbooError } from '@clawboo/core'
import { openOperatorToken, readToken } from '../../access/operator-token.ts'
import { homeFiles } from '../../home.ts'
import { takeHomeLock } from '../../store/sqlite/home-lock.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { demandServer, findServer } from '../running-server.ts'

export const tokenCommand: Command = {
  name: 'token',
  summary: 'sign in, or replace the operator token',
  actions: [
    { name: 'link', summary: 'Prints a link that signs one browser in.', run: (_, context) => makeLink(context) },
    {
      name: 'show',
      summary: 'Prints the operator token itself, for scripts. Whoever has it can do everything.',
      run: (_, context) => show(context),
    },
    {
      name: 'rotate',
      summary: 'Replaces the token: signs every browser out and cuts every open feed.',
      run: (_, context) => rotate(context),
    },
  ],
  examples: ['token', 'token rotate', 'token show'],
}

async function makeLink({ config }: Context): Promise<Outcome> {
  const { client } = await demandServer(config)
  const link = await client.createSignInLink({})
  return done({ signInLink: link.url, expiresAt: link.expiresAt }, link.url)
}

async function show({ config }: Context): Promise<Outcome> {
  const token = await readToken(homeFiles(config.home).token)
  if (token === null) throw noToken(config.home)
  return done({ token }, token)
}

async function rotate({ config }: Context): Promise<Outcome> {
  const files = homeFiles(config.home)
  if ((await readToken(files.token)) === null) throw noToken(config.home)
  const server = await findServer(config)
  if (server.state === 'running') await server.client.rotateToken({})
  else {
    // A server that starts meanwhile would read the old token and keep it.
    const lock = takeHomeLock(files.lock)
    if (!lock) throw new ClawbooError('server_running', 'a server has the home but does not answer; try again')
    try {
      await (await openOperatorToken(config.home)).rotate()
    } finally {
      lock.release()
    }
  }
  return done({ rotated: true }, 'The token was replaced; every browser has to sign in again (`clawboo token link`)')
}

function noToken(home: string): ClawbooError {
  return new ClawbooError('file_not_found', `the home ${home} has no token yet; \`clawboo start\` makes one`)
}
