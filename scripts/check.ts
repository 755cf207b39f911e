// Checks format, lint and types of the whole tree. Run it before every commit.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const steps = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', '.'],
  ['types of the page', 'node_modules/typescript/bin/tsc', '-p', 'packages/web'],
] as const

for (const [title, program, ...rest] of steps) {
  const { status } = spawnSync(process.execPath, [join(root, program), ...rest], { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write(`check: ${title} failed\n`)
    process.exit(1)
  }
}
process.stdout.write(`check: ${steps.map(([title]) => title).join(', ')} passed\n`)
