import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The environment variables that add the gate to a server's integrations. */
export const GATE_ENVIRONMENT = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'add-gate.ts')).href}`,
}
