import type { Config } from '../../config.ts'
import { VERSION } from '../../version.ts'
import { findServer } from '../server/running-server.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** Checks the server and, if it is running, its sources. */
export async function checkServer(config: Config): Promise<Finding[]> {
  try {
    const server = await findServer(config)
    if (server.state === 'stopped') return [warn('server', 'not running', 'run `clawboo start`')]
    if (server.state === 'silent')
      return [
        fail('server', 'a process uses the home folder but does not respond', 'wait a moment, then end that process'),
      ]
    const { version } = server.status
    const running =
      version === VERSION
        ? ok('server', `${version} answers at ${server.note.url}`)
        : warn(
            'server',
            `version ${version} is running, but this command is ${VERSION}`,
            'run `clawboo stop`, then `clawboo start`',
          )
    const { sources } = await server.client.listSources({})
    return [running, ...sources.map(checkSource)]
  } catch (error) {
    return [fail('server', reasonOf(error), 'run `clawboo stop`, then `clawboo start`')]
  }
}

function checkSource(source: { label: string; state: string; trouble: string; detail?: string }): Finding {
  const check = `source ${source.label}`
  if (source.trouble === 'none') return ok(check, source.state)
  return warn(check, [source.state, source.detail].filter(Boolean).join(': '), 'its Boos are shown as last seen')
}
