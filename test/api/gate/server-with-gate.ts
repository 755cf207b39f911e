import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ServerOptions, SOURCE_PROGRAM } from '../../server-process.ts'

/** The options of a server that has the gate among its integrations. Only the source can be extended while it loads. */
export const WITH_GATE = {
  main: SOURCE_PROGRAM,
  env: { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'add-gate.ts')).href}` },
} satisfies ServerOptions
