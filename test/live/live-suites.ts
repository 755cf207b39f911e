import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A folder of tests against one real runtime. */
export interface LiveSuite {
  readonly runtime: string
  readonly folder: string
  /** The exact versions to install separately, with the text they come from; null = none. */
  readonly install: { readonly text: string; readonly packages: Readonly<Record<string, string>> } | null
  /** The environment variable that names the folder of an installation. */
  readonly variable: string
}

const root = join(import.meta.dirname, '../..')

/** All suites, whether or not their runtime is installed. */
export function liveSuites(): LiveSuite[] {
  const folders = new Set(globSync('test/live/*/**/*.test.ts', { cwd: root }).map(suiteFolder))
  return [...folders].sort().map((folder) => {
    const runtime = basename(folder)
    const manifest = join(root, folder, 'install.json')
    const text = existsSync(manifest) ? readFileSync(manifest, 'utf8') : null
    return {
      runtime,
      folder,
      install: text === null ? null : { text, packages: JSON.parse(text) as Record<string, string> },
      variable: `CLAWBOO_LIVE_${runtime.toUpperCase().replace(/\W/g, '_')}`,
    }
  })
}

function suiteFolder(file: string): string {
  const parent = dirname(file)
  return basename(dirname(parent)) === 'live' ? parent : suiteFolder(parent)
}
