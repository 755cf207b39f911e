// Prepares everything that a command needs, then runs it. Plain JavaScript without dependencies, because it runs on
// Node 18 and newer before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { freemem } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const OLDEST_NODE = [24, 0]
const QUIET = '--disable-warning=ExperimentalWarning'
const IN_MEMORY = '/dev/shm'
const PLENTY_BYTES = 8 * 1024 ** 3

/** The requirements and the program of each npm script. `rest` contains the arguments after `--`. */
const COMMANDS = {
  start: { needs: ['page', 'program'], run: (rest) => node(join(program, 'clawboo.js'), 'start', ...rest) },
  clawboo: { needs: ['program'], run: (rest) => node(join(program, 'clawboo.js'), ...rest) },
  build: { needs: ['page', 'program'], run: () => 0 },
  dev: { needs: ['page'], run: (rest) => node('scripts/dev.ts', ...rest) },
  check: { needs: [], run: (rest) => node('scripts/check.ts', ...rest) },
  test: {
    needs: ['page', 'program', 'chromium', 'confinement', 'seed', 'memory'],
    run: async (rest) => (rest.length > 0 ? 0 : await node('scripts/check.ts')) || vitest(rest),
  },
  soak: {
    needs: ['page', 'program', 'chromium', 'confinement', 'seed', 'memory'],
    run: (rest) => vitest(rest, { CLAWBOO_SOAK: '1' }),
  },
  live: {
    needs: ['page', 'program', 'chromium', 'confinement', 'seed'],
    run: (rest) => node('scripts/live.ts', ...rest),
  },
  bench: { needs: ['page', 'program', 'confinement'], run: (rest) => node('bench/run.ts', ...rest) },
  pack: { needs: ['page'], run: (rest) => node('scripts/pack.ts', ...rest) },
}

const [name, ...rest] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command) fail(`unknown command "${name}"; known: ${Object.keys(COMMANDS).join(', ')}`)

const environment = { ...process.env }
installDependencies()
const nodeBinary = findNode()
environment.PATH = [dirname(nodeBinary), join(root, 'node_modules', '.bin'), environment.PATH].join(delimiter)
if (command.needs.includes('page')) build('page')
const program = command.needs.includes('program') ? build('program') : ''
if (command.needs.includes('chromium')) environment.CLAWBOO_CHROMIUM = findChromium()
if (command.needs.includes('confinement')) installConfinement()
if (command.needs.includes('seed')) chooseSeed()
const folder = command.needs.includes('memory') ? folderInMemory() : null
if (folder) environment.TMPDIR = folder
// For the processes that tests start: without the cache, a short-lived process spends most of its time compiling.
if (command.needs.includes('seed')) environment.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')
process.exitCode = await command.run(rest)
if (folder) rmSync(folder, { recursive: true, force: true })

/** Runs `npm ci` if the lockfile has changed since the last installation. */
function installDependencies() {
  const stamp = join(root, 'node_modules', '.clawboo-installed')
  const wanted = digest(readFileSync(join(root, 'package-lock.json')))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('installing dependencies')
  const npm = process.env.npm_execpath
  const npmArguments = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const result = npm
    ? spawnSync(process.execPath, [npm, ...npmArguments], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', npmArguments, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (result.status !== 0) fail('npm ci failed; see its output above')
  // An interrupted npm can exit with success; only the file that it writes last shows that it finished.
  if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) fail('npm ci did not finish; run this again')
  writeFileSync(stamp, wanted)
}

/** This Node if it is new enough, otherwise the one installed with the dependencies. */
function findNode() {
  const packaged = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  for (const candidate of [process.execPath, packaged]) {
    if (candidate === process.execPath && isNewEnough(process.versions.node)) return candidate
    if (!existsSync(candidate)) continue
    const version = spawnSync(candidate, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1)
    if (version && isNewEnough(version)) return candidate
  }
  return fail(
    `Node ${OLDEST_NODE.join('.')} or newer is required; this is ${process.versions.node}, and the packaged one did not install`,
  )
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
}

/** Builds the page or the program if its source has changed. Returns the folder of the build. */
function build(what) {
  const words = [QUIET, join(root, 'scripts', 'build.ts'), what]
  const { status, stdout } = spawnSync(nodeBinary, words, {
    cwd: root,
    stdio: ['ignore', 'pipe', 2],
    env: environment,
    encoding: 'utf8',
  })
  if (status !== 0) fail(`the ${what} could not be built; see the output above`)
  return stdout.trim()
}

/** An installed Chromium, else Debian's, else Playwright's own. The headless shell comes first: it uses less CPU. */
function findChromium() {
  const known = [
    process.env.CLAWBOO_CHROMIUM,
    ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(
      (file) => onPath(file),
    ),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  const found = known.find((path) => path && existsSync(path))
  if (found) return found
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    say('installing chromium from the distribution')
    const quiet = { stdio: ['ignore', 'ignore', 2], env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } }
    spawnSync('apt-get', ['update', '-qq'], quiet)
    for (const name of ['chromium-headless-shell', 'chromium']) {
      spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], quiet)
      const installed = onPath(name)
      if (installed) return installed
    }
  }
  say('downloading a chromium for playwright')
  const playwright = join(root, 'node_modules', 'playwright-core')
  spawnSync(nodeBinary, [join(playwright, 'cli.js'), 'install', 'chromium'], {
    stdio: ['ignore', 2, 2],
    env: environment,
  })
  const ask = `import('playwright-core').then(({ chromium }) => process.stdout.write(chromium.executablePath()))`
  const path = spawnSync(nodeBinary, ['-e', ask], { cwd: root, encoding: 'utf8' }).stdout
  return path && existsSync(path)
    ? path
    : fail('no Chromium could be found or installed; set CLAWBOO_CHROMIUM to its path')
}

/** Installs the program that confines what agents start. A product without it asks a person about every command. */
function installConfinement() {
  if (process.platform !== 'linux' || onPath('bwrap')) return
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return say('bubblewrap is missing; some tests will fail')
  say('installing bubblewrap from the distribution')
  const quiet = { stdio: ['ignore', 'ignore', 2], env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'bubblewrap'], quiet)
}

function onPath(file) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, file)
    if (existsSync(path)) return path
  }
  return null
}

/** One seed for all random tests, printed so that a failure can be repeated. */
function chooseSeed() {
  environment.CLAWBOO_TEST_SEED ??= String(randomInt(1, 2 ** 31))
  say(`seed ${environment.CLAWBOO_TEST_SEED} (repeat with CLAWBOO_TEST_SEED=${environment.CLAWBOO_TEST_SEED})`)
}

/** Creates the folder for test files in memory if there is enough; otherwise many tests would wait for the disk. */
function folderInMemory() {
  if (process.env.TMPDIR || process.platform !== 'linux') return null
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === IN_MEMORY)
  const options = mount?.split(' ')[3].split(',') ?? ['noexec']
  if (options.includes('noexec') || !options.includes('rw') || freemem() < PLENTY_BYTES) return null
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  if (bavail * bsize < PLENTY_BYTES) return null
  for (const name of readdirSync(IN_MEMORY)) {
    // A killed test run could not remove its own folder.
    const pid = /^clawboo-tests-(\d+)-/.exec(name)?.[1]
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(IN_MEMORY, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(IN_MEMORY, `clawboo-tests-${process.pid}-`))
  // PostgreSQL does not run as root, so its user must be able to reach its folder inside this one.
  chmodSync(folder, 0o711)
  return folder
}

function vitest(rest, more = {}) {
  return node({ ...environment, ...more }, 'node_modules/vitest/vitest.mjs', 'run', ...rest)
}

/** Runs a program of this project with inherited streams and forwarded signals. Resolves to its exit code. */
function node(...words) {
  const env = typeof words[0] === 'object' ? words.shift() : environment
  const [file, ...programArguments] = words
  const child = spawn(nodeBinary, [QUIET, resolve(root, file), ...programArguments], {
    cwd: process.env.INIT_CWD && name === 'clawboo' ? process.env.INIT_CWD : root,
    stdio: 'inherit',
    env,
  })
  // The terminal also sends Ctrl-C to the child; exiting first would orphan it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((end) => child.on('exit', (code, signal) => end(code ?? (signal ? 1 : 0))))
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function say(message) {
  process.stderr.write(`clawboo: ${message}\n`)
}

function fail(message) {
  say(message)
  process.exit(1)
}
