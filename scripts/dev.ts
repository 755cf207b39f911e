// Rebuilds the page and restarts the server when a file changes, with a separate home inside the checkout.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const home = join(root, '.cache', 'dev-home')
const start = (cwd: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd,
    stdio: 'inherit',
    env: { CLAWBOO_HOME: home, ...process.env },
  })

const children = [
  start(
    join(root, 'packages/web'),
    join(root, 'node_modules/vite/bin/vite.js'),
    'build',
    '--watch',
    '--logLevel',
    'warn',
  ),
  start(root, '--watch', '--watch-preserve-output', 'packages/server/src/main.ts'),
]
const stop = (signal: NodeJS.Signals) => {
  for (const child of children) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
for (const child of children) child.once('exit', () => stop('SIGTERM'))
