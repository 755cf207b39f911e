// The live suite talks to real runtimes that are installed aside. Without one in test/live there is nothing to run.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const suites = globSync('test/live/**/*.test.ts', { cwd: root })
if (suites.length === 0) {
  process.stdout.write('live: no runtime has a live suite, so nothing was run\n')
} else {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.live.config.ts', ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit' },
  )
  process.exitCode = run.status ?? 1
}
