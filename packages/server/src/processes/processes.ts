import { childEnvironment } from './child-environment.ts'
import type { Processes } from './process.ts'
import { startProcess } from './start-process.ts'

/** For integrations, which reach this folder through their host only. */
export function createProcesses(serverEnvironment: Readonly<Record<string, string | undefined>>): Processes {
  return {
    start: startProcess,
    environment: (own) => childEnvironment(serverEnvironment, own),
  }
}
