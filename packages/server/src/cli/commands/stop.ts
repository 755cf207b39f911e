import { setTimeout as sleep } from 'node:timers/promises'
import { ClawbooError } from '@clawboo/core'
import { homeFiles } from '../../home.ts'
import { type Command, type Context, done, type Outcome } from '../command.ts'
import { demandServer, isHomeLocked } from '../server/running-server.ts'

const STOP_DEADLINE_MS = 10_000

export const stopCommand: Command = {
  name: 'stop',
  summary: 'stop the server',
  actions: [
    { name: '', summary: 'Stops the server and waits until it has exited.', run: (_, context) => stop(context) },
  ],
  examples: ['stop', 'stop --json', 'stop && clawboo restore boos.backup.gz'],
  notes: ['Stops only the process that responds as the server of this home folder.'],
}

async function stop({ config }: Context): Promise<Outcome> {
  const { note } = await demandServer(config)
  process.kill(note.pid, 'SIGTERM')
  const { lock } = homeFiles(config.home)
  for (const giveUpAt = performance.now() + STOP_DEADLINE_MS; isHomeLocked(lock); await sleep(30)) {
    if (performance.now() >= giveUpAt)
      throw new ClawbooError(
        'server_running',
        `the server (pid ${note.pid}) is still running 10 seconds after it was asked to stop; end that process`,
      )
  }
  return done({ stopped: true, pid: note.pid }, `Stopped (pid ${note.pid})`)
}
