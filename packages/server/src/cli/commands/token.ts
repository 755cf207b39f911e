import { ClawbooError } from '@clawboo/core'
import { openOperatorToken, readToken } from '../../access/operator-token.ts'
import { homeFiles } from '../../home.ts'
import { takeHomeLock } from '../../store/sqlite/home-lock.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { demandServer, findServer } from '../server/running-server.ts'

export const tokenCommand: Command = {
  name: 'token',
  summary: 'create a sign-in link or replace the operator token',
  actions: [
    { name: 'link', summary: 'Prints a link that signs in one browser.', run: (_, context) => makeLink(context) },
    {
      name: 'show',
      summary: 'Prints the operator token, for scripts. Anyone who has it can do everything.',
      run: (_, context) => show(context),
    },
    {
      name: 'rotate',
      summary: 'Replaces the token, signs out every browser and closes every feed.',
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
    // A server that starts at the same time would read and keep the old token.
    const lock = takeHomeLock(files.lock)
    if (!lock)
      throw new ClawbooError('server_running', 'a server uses this home folder but does not respond; try again')
    try {
      await (await openOperatorToken(config.home)).rotate()
    } finally {
      lock.release()
    }
  }
  return done({ rotated: true }, 'The token was replaced. Every browser must sign in again (`clawboo token link`).')
}

function noToken(home: string): ClawbooError {
  return new ClawbooError('file_not_found', `the home folder ${home} has no token yet; \`clawboo start\` creates one`)
}
