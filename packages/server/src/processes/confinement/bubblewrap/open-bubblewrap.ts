import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { startProcess } from '../../start-process.ts'
import type { BoundedReach, Confinement, Confiner } from '../confinement.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { type BubblewrapPlaces, createBubblewrap } from './bubblewrap.ts'

const INSTALL = 'sudo apt install bubblewrap'
const ALLOW_NAMESPACES = 'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 kernel.unprivileged_userns_clone=1'
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin']
const TRIAL_MS = 60_000
const EMPTY: BoundedReach = { writable: [], readable: [], proxySocket: null, limits: DEFAULT_LIMITS }

/** Finds bubblewrap and starts a program with it once: many machines have the program and forbid its namespaces. */
export async function openBubblewrap(options: {
  readonly path: string
  readonly userHome: string
  readonly hidden: readonly string[]
  /** Folders that are searched before the path. */
  readonly systemFolders?: readonly string[]
}): Promise<Confinement> {
  const program = findProgram('bwrap', [...(options.systemFolders ?? SYSTEM_FOLDERS), ...options.path.split(delimiter)])
  if (program === null) return { isOn: false, reason: 'The program bubblewrap is not installed.', fix: INSTALL }
  const limiter = ['/usr/bin/prlimit', '/bin/prlimit'].find(isProgram)
  if (!limiter)
    return { isOn: false, reason: 'The program prlimit is not installed.', fix: 'sudo apt install util-linux' }
  const places: BubblewrapPlaces = { program, limiter, userHome: options.userHome, hidden: options.hidden }
  const confiner = createBubblewrap(places)
  const problem = await tryOut(confiner)
  if (problem === null)
    return { isOn: true, confine: (reach) => ({ confiner, reach: { ...reach, limits: DEFAULT_LIMITS } }) }
  return {
    isOn: false,
    reason: `This machine does not let bubblewrap confine programs: ${problem}`,
    fix: ALLOW_NAMESPACES,
  }
}

/** An absolute path in a folder that only the administrator can change, so that no other user can plant the program. */
function findProgram(name: string, folders: readonly string[]): string | null {
  const candidates = folders.filter(isAbsolute).map((folder) => join(folder, name))
  return candidates.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    const { uid, mode } = statSync(path)
    return uid === 0 && (mode & 0o022) === 0
  } catch {
    // There is no such program, or this account may not start it.
    return false
  }
}

/** Resolves to null when a program runs inside, otherwise to its last line of output. */
async function tryOut(confiner: Confiner): Promise<string | null> {
  let output = ''
  const { ended } = startProcess({
    program: 'true',
    args: [],
    cwd: '/',
    env: {},
    stdin: 'none',
    timeoutMs: TRIAL_MS,
    boundary: { confiner, reach: EMPTY },
    onOutput(_stream, chunk) {
      output = `${output}${chunk}`.slice(-500)
    },
  })
  const { exitCode, failure } = await ended
  if (exitCode === 0) return null
  return output.trim().split('\n').at(-1) || `it ended with ${failure ?? exitCode}`
}
