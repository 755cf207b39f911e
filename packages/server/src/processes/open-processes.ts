import { childEnvironment } from './child-environment.ts'
import type { Confinement } from './confinement/confinement.ts'
import { openConfinement } from './confinement/open-confinement.ts'
import type { Processes } from './process.ts'
import { startProcess } from './start-process.ts'

interface ProcessesOptions {
  /** The server's environment; a child inherits only the variables that are named for it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly userHome: string
  /** Folders that no confined child sees, except the parts that it is given. */
  readonly hidden: readonly string[]
}

/** Creates the functions that start children. Integrations use them through their host. */
export function openProcesses({ environment, userHome, hidden }: ProcessesOptions): Processes {
  let confinement: Promise<Confinement> | null = null
  return {
    start: startProcess,
    environment: (own) => childEnvironment(environment, own),
    confinement() {
      confinement ??= openConfinement({ path: environment.PATH ?? '', userHome, hidden })
      return confinement
    },
  }
}
