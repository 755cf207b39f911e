import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a server needs in its environment to have the gate among its integrations. */
export const GATE_ENVIRONMENT = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'add-gate.ts')).href}`,
}
