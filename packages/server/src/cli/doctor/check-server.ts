import type { Config } from '../../config.ts'
import { VERSION } from '../../version.ts'
import { findServer } from '../running-server.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** The server and, when it runs, where its Boos come from. */
export async function checkServer(config: Config): Promise<Finding[]> {
  try {
    const server = await findServer(config)
    if (server.state === 'stopped') return [warn('server', 'not running', 'run `clawboo start`')]
    if (server.state === 'silent')
      return [fail('server', 'a process has the home but does not answer', 'wait a moment; then end that process')]
    const { version } = server.status
    const running =
      version === VERSION
        ? ok('server', `${version} answers at ${server.note.url}`)
        : warn('server', `${version} runs, this command is ${VERSION}`, 'run `clawboo stop`, then `clawboo start`')
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
