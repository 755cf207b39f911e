import { ClawbooError } from '@clawboo/core'
import { homeFiles, makeHome } from './home.ts'
import { takeHomeLock } from './store/sqlite/home-lock.ts'

/** Makes the home if needed and locks it for this server. Throws `server_running`. */
export async function lockHome(home: string): Promise<{ close(): void }> {
  await makeHome(home)
  const lock = takeHomeLock(homeFiles(home).lock)
  if (!lock)
    throw new ClawbooError(
      'server_running',
      `a server is already running with the home ${home}; \`clawboo status\` shows its address`,
    )
  return { close: () => lock.release() }
}
