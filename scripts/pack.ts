// Builds the package that people install, installs it into an empty folder and uses it there, because a part that works
// in the source tree may be missing from the package.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleProgram } from './bundle-program.ts'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist', 'clawboo')

await bundle()
const archive = pack()
await useInstalled(archive)
process.stdout.write(`pack: ${archive} (${Math.round(statSync(archive).size / 1024)} KiB) installs and runs\n`)

async function bundle(): Promise<void> {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await bundleProgram(output)
  cpSync(join(root, 'packages/web/dist'), join(output, 'page'), {
    recursive: true,
    filter: (path) => !path.endsWith('.built'),
  })
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) cpSync(join(root, file), join(output, file))
  writeFileSync(join(output, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as {
    version: string
    license: string
  }
  return {
    name: 'clawboo',
    version,
    license,
    description: 'A local control plane and dashboard for teams of AI agents.',
    type: 'module',
    bin: { clawboo: 'clawboo.js' },
    engines: { node: '>=24' },
  }
}

function pack(): string {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', join(root, 'dist')], output)) as [
    { filename: string },
  ]
  return join(root, 'dist', packed.filename)
}

async function useInstalled(archive: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'clawboo-pack-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  run('npm', ['install', '--no-audit', '--no-fund', '--offline', archive], folder)
  const command = join(folder, 'node_modules/.bin/clawboo')
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(':'),
    HOME: folder,
    CLAWBOO_HOME: home,
    CLAWBOO_PORT: '0',
  }
  const clawboo = (...words: string[]) => execFileSync(command, words, { env, encoding: 'utf8', cwd: folder })
  const server = spawn(command, ['start', '--no-open'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const link = await new Promise<string>((resolve, reject) => {
      let text = ''
      server.stdout.on('data', (chunk) => {
        text += chunk
        const found = /(http\S+)\/sign-in#/.exec(text)
        if (found) resolve(found[1]!)
      })
      server.on('exit', (code) => reject(new Error(`the installed server ended with ${code}\n${text}`)))
    })
    const page = await (await fetch(link)).text()
    if (!page.includes('<title>')) throw new Error('the installed server serves no page')
    clawboo('agents', 'create', 'Ada')
    if (!clawboo('agents', 'list').includes('Ada'))
      throw new Error('the installed command does not list the agent that it created')
    sayTo('Ada', clawboo)
    clawboo('stop')
    const leftovers = readdirSync(folder).filter(
      (name) => !['home', 'node_modules', 'package.json', 'package-lock.json', '.npm'].includes(name),
    )
    if (leftovers.length > 0) throw new Error(`the installed product wrote outside its home: ${leftovers.join(', ')}`)
  } finally {
    server.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** No model is set up, so the scripted one answers; its `echo` step returns its own input. */
function sayTo(name: string, clawboo: (...words: string[]) => string): void {
  if (!clawboo('say', name, 'Hello').includes('scripted')) throw new Error('the demo model does not answer')
  const shown = clawboo('say', name, '```script\n[[{ "echo": "system" }]]\n```')
  const skills = [...shown.matchAll(/<location>(.+?)<\/location>/g)].map((found) => found[1]!)
  if (skills.length === 0) throw new Error('the installed product contains no skills')
  for (const file of skills) statSync(file)
}

function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
