import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { readToken } from '../../access/operator-token.ts'
import { homeFiles } from '../../home.ts'
import { findInstallation } from '../../installation.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const OLDEST_NODE = 24
const MIB = 1024 * 1024

export function checkNode(): Finding {
  const { node } = process.versions
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok('node', node)
    : fail('node', `${node} is too old`, `install Node ${OLDEST_NODE} or newer`)
}

export async function checkHome(home: string): Promise<Finding> {
  const stats = await stat(home).catch(() => null)
  if (!stats) return warn('home', `${home} does not exist yet`, 'run `clawboo start`')
  if (!stats.isDirectory()) return fail('home', `${home} is not a folder`, 'choose another with CLAWBOO_HOME')
  return isPrivate(stats.mode) ? ok('home', home) : fail('home', `other users can read ${home}`, `chmod 700 ${home}`)
}

export async function checkToken(home: string): Promise<Finding> {
  const file = homeFiles(home).token
  const stats = await stat(file).catch(() => null)
  if (!stats) return warn('token', 'none yet', 'run `clawboo start`')
  // Check before reading: `readToken` tightens the permissions.
  if (!isPrivate(stats.mode))
    return fail('token', 'other users can read it', `chmod 600 ${file} && clawboo token rotate`)
  try {
    await readToken(file)
    return ok('token', 'readable only by its owner')
  } catch (error) {
    return fail('token', reasonOf(error), `delete ${file} and run \`clawboo start\``)
  }
}

export async function checkDisk(home: string): Promise<Finding> {
  const space = await statfs(home).catch(() => null)
  if (!space) return warn('disk', 'unknown', 'run `clawboo start`')
  const free = Math.floor((space.bavail * space.bsize) / MIB)
  const detail = `${free} MiB free`
  if (free < 100) return fail('disk', detail, 'free some space: a full disk stops every write')
  return free < 1024 ? warn('disk', detail, 'free some space soon') : ok('disk', detail)
}

export function checkPage(): Finding {
  return existsSync(join(findInstallation().page, 'index.html'))
    ? ok('page', 'built')
    : warn('page', 'not built', 'run `npm start`, which builds it')
}

function isPrivate(mode: number): boolean {
  return (mode & 0o077) === 0
}
