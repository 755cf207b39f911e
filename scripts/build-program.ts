import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce, digestOf, root } from './build-once.ts'

const SOURCES = [
  'packages/{server,api,core,scripted-model}/src/**/*.ts',
  'packages/server/src/**/bundled-skills/**/*',
  'scripts/{bundle-program,license-notices}.ts',
  'package-lock.json',
]
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Bundles the server and the command line: one file starts in half the time of several hundred, and needs less memory.
 * Resolves to the folder with `server.js` and `clawboo.js`. Each build has its own folder, because a running server
 * loads parts of its build on demand.
 */
export async function buildProgram(): Promise<string> {
  const builds = join(root, 'packages/server/dist')
  const digest = digestOf(SOURCES)
  const folder = await buildOnce({
    name: 'the server',
    output: join(builds, digest.slice(0, 16)),
    digest,
    command: (output) => [join(root, 'scripts/bundle-program.ts'), output],
  })
  removeOldBuilds(builds, folder)
  return folder
}

/** Removes builds that were not used for a month. A running server marks its build as used every day. */
export function removeOldBuilds(builds: string, used: string): void {
  const now = Date.now()
  try {
    utimesSync(used, now / 1000, now / 1000)
  } catch {
    // Another user owns the tree and cleans it up.
    return
  }
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (name !== '.cache' && now - usedAt > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}
