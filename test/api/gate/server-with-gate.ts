import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ServerOptions, SOURCE_PROGRAM } from '../../server-process.ts'

/** The options of a server with the gate as an integration. Runs from source, because a bundle cannot be extended. */
export const WITH_GATE = {
  main: SOURCE_PROGRAM,
  env: { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'add-gate.ts')).href}` },
} satisfies ServerOptions
