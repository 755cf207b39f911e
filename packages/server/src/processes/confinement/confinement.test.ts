import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSoak } from '../../../../../test/seed.ts'
import { openProcesses } from '../open-processes.ts'
import type { ProcessOptions } from '../process.ts'
import { isAlive, startShell, until } from '../test-processes.ts'
import { openBubblewrap } from './bubblewrap/open-bubblewrap.ts'
import { toolchainFolders } from './bubblewrap/toolchain-folders.ts'
import type { BoundedReach, Confined } from './confinement.ts'

const CANARY = `canary${randomUUID()}`
let base: string
/** The home of the server, with a token, and the workspaces of two agents. */
let home: string
let work: string
let confined: Confined

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'clawboo-confined-')))
  home = join(base, 'home')
  work = join(home, 'ada', 'workspace')
  for (const folder of [work, join(home, 'bob')]) await mkdir(folder, { recursive: true })
  await writeFile(join(home, 'token'), CANARY)
  await writeFile(join(home, 'bob', 'notes'), CANARY)
  await writeFile(join(work, 'own.txt'), 'mine')
  confined = await confine()
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function confine(reach: Partial<BoundedReach> = {}): Promise<Confined> {
  const processes = openProcesses({ environment: { PATH: process.env.PATH }, userHome: homedir(), hidden: [home] })
  const confinement = await processes.confinement()
  if (!confinement.isOn) throw new Error(`${confinement.reason} ${confinement.fix}`)
  const { confiner, reach: bounded } = confinement.confine({ writable: [work], readable: [], proxySocket: null })
  return { confiner, reach: { ...bounded, ...reach } }
}

const start = (command: string, options: Partial<ProcessOptions> = {}) =>
  startShell(command, { cwd: work, boundary: confined, ...options })
const run = async (command: string, options: Partial<ProcessOptions> = {}) => {
  const running = start(command, options)
  const end = await running.ended
  await running.gone
  return { ...end, output: running.output() }
}
/** The processes of the machine whose command line has this text. */
const withText = (text: string) =>
  execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -A'))
    .map((line) => Number.parseInt(line, 10))
    .filter(isAlive)

test('[PR10] a confined child changes its working folder and nothing else', async () => {
  const { exitCode, output } = await run(
    'cat own.txt; echo new > own.txt; mkdir sub && echo ok > sub/file; cat sub/file',
  )
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'mineok\n' })
  expect(await readFile(join(work, 'own.txt'), 'utf8')).toBe('new\n')
  for (const path of ['/usr/x', '/etc/x', '/x', join(home, 'x'), join(base, 'x'), '/opt/x', '/lib/x', '/var/x']) {
    // A folder around the working folder may be an empty one that only the child sees.
    await run(`echo x > '${path}'`)
    expect({ path, exists: existsSync(path) }).toEqual({ path, exists: false })
  }
})

test('[PR10] the home of the server, other agents and the person’s home do not exist for a confined child', async () => {
  const hidden = [
    join(home, 'token'),
    join(home, 'bob'),
    join(base, 'home', 'token'),
    join(homedir(), '.ssh'),
    '/etc/shadow',
  ]
  for (const path of hidden) expect((await run(`cat '${path}' 2>&1`)).output).toContain('No such file')
  expect((await run(`ls -A '${home}' '${homedir()}' | grep -v workspace`)).output).not.toMatch(/token|bob|ssh/)
  await symlink(join(home, 'token'), join(work, 'link'))
  expect((await run('cat link 2>&1')).output).toContain('No such file')
  expect(
    (
      await run(`grep -rsl ${CANARY} / --exclude-dir=proc --exclude-dir=dev --exclude-dir=usr --exclude-dir=opt`, {
        env: { PATH: '/usr/bin' },
      })
    ).output,
  ).toBe('')
})

test('[PR10] what a child is given to read it cannot change, and another file can stand in its place', async () => {
  const repository = join(base, 'project', '.git')
  await mkdir(repository, { recursive: true })
  await writeFile(join(repository, 'config'), 'url = https://me:CANARY@example.com')
  await writeFile(join(repository, 'HEAD'), 'ref')
  await writeFile(join(home, 'shown'), 'shown settings')
  const boundary = await confine({
    readable: [{ path: repository }, { path: join(repository, 'config'), from: join(home, 'shown') }],
  })
  const { output } = await run(`cd '${repository}' && cat HEAD config; echo x > HEAD; echo x > new; ls`, { boundary })
  expect(output).toContain('refshown settings')
  expect(output).not.toContain('CANARY')
  expect(await readFile(join(repository, 'HEAD'), 'utf8')).toBe('ref')
  expect((await run(`ls '${base}/project/..' '${base}'`, { boundary })).output).not.toContain('shown')
})

test('[PR11] a confined child has no network', async () => {
  const server = createServer((_request, response) => response.end('CANARY')).listen(0, '127.0.0.1')
  await until(() => server.listening)
  const { port } = server.address() as AddressInfo
  const program = `fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log, (e) => console.log(e.cause.code))`
  const node = process.execPath
  const boundary = await confine({ readable: [{ path: node }] })
  expect((await run(`'${node}' -e "${program}"`, { boundary })).output).toBe('ECONNREFUSED\n')
  expect((await run('cat /proc/net/dev | tail -n +3 | cut -d: -f1 | xargs', { boundary })).output).toBe('lo\n')
  server.close()
})

test('[PR12] a confined child sees no other process and has no privilege', async () => {
  const { output } = await run(
    'grep -c . /proc/self/status >/dev/null; ls /proc | grep -c "^[0-9]"; grep CapEff /proc/self/status',
  )
  const [count, capabilities] = output.trim().split('\n')
  expect(Number(count)).toBeLessThan(8)
  expect(capabilities).toMatch(/CapEff:\s+0000000000000000/)
  expect((await run(`kill -0 ${process.pid} 2>&1`)).exitCode).not.toBe(0)
  expect((await run(`cat /proc/${process.pid}/environ 2>&1`)).exitCode).not.toBe(0)
  expect((await run('unshare -Ur true 2>&1')).exitCode).not.toBe(0)
  expect((await run('mount -t tmpfs x /mnt 2>&1')).exitCode).not.toBe(0)
})

const ESCAPES = [
  'setsid sleep 98765 & echo started; sleep 98765',
  '(setsid sleep 98765 & ) ; echo started; sleep 98765',
  'env -i setsid sleep 98765 & echo started; sleep 98765',
  'nohup sleep 98765 >/dev/null 2>&1 & echo started; sleep 98765',
  'trap "" TERM INT HUP; echo started; while :; do sleep 98765; done',
]

test.for(ESCAPES)('[PR13] nothing outlives a stopped child: %s', async (command) => {
  for (let round = 0; round < (isSoak ? 100 : 2); round++) {
    const running = start(command)
    await until(() => running.output().includes('started'))
    await running.stop(50)
    await running.gone
    expect(withText('sleep 98765')).toEqual([])
  }
})

test('[PR13] what a program leaves in the background ends with it', async () => {
  const { exitCode } = await run('setsid sleep 98765 >/dev/null 2>&1 & (env -i setsid sleep 98765 &) ; exit 4')
  expect(exitCode).toBe(4)
  expect(withText('sleep 98765')).toEqual([])
})

test('[PR13] a tree has time to end on its own, and an interrupt reaches all of it', async () => {
  const tidy = start(`trap 'echo tidied; exit 7' TERM; echo started; while :; do sleep 0.05; done`)
  await until(() => tidy.output().includes('started'))
  await tidy.stop()
  expect(tidy.output()).toContain('tidied')
  expect(await tidy.ended).toMatchObject({ exitCode: 7, stopped: true })
  const interrupted = start(`trap 'echo caught; exit 4' INT; echo started; while :; do sleep 0.05; done`)
  await until(() => interrupted.output().includes('started'))
  interrupted.interrupt()
  expect(await interrupted.ended).toMatchObject({ exitCode: 4, stopped: false })
})

test('[PR13] nothing outlives kill -9 of the server', async () => {
  for (let round = 0; round < (isSoak ? 100 : 3); round++) {
    const program = `
      import { openProcesses } from ${JSON.stringify(join(import.meta.dirname, '..', 'open-processes.ts'))}
      const processes = openProcesses({ environment: process.env, userHome: ${JSON.stringify(homedir())}, hidden: [] })
      const confinement = await processes.confinement()
      for (const command of ${JSON.stringify(ESCAPES)})
        processes.start({
          program: '/bin/sh', args: ['-c', command], cwd: ${JSON.stringify(work)}, env: { PATH: process.env.PATH },
          stdin: 'none', timeoutMs: 0, onOutput: (_stream, chunk) => process.stdout.write(chunk),
          boundary: confinement.confine({ writable: [${JSON.stringify(work)}], readable: [], proxySocket: null }),
        })`
    const server = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    server.stdout.on('data', (chunk) => {
      output += chunk
    })
    // Sometimes in the middle of the starts.
    await until(() => output.split('started').length - 1 >= (round % 2 === 0 ? ESCAPES.length : 1))
    server.kill('SIGKILL')
    await until(() => withText('sleep 98765').length === 0)
  }
})

test('[PR14] a tree that takes too many processes, too much memory or too large a file is ended', async () => {
  const bounds = confined.reach.limits
  const few = await confine({ limits: { ...bounds, processes: 40 } })
  // Not a fork bomb: for the administrator the kernel has no bound, and the machine runs other tests.
  const many = 'i=0; while [ $i -lt 60 ]; do sleep 98765 & i=$((i+1)); done; wait'
  const crowd = await run(many, { boundary: few })
  expect(crowd.limit === 'processes' || crowd.output.includes('fork')).toBe(true)
  expect(withText('sleep 98765')).toEqual([])
  const small = await confine({ limits: { ...bounds, memoryBytes: 200 * 1024 ** 2 } })
  const eaters = 'for i in 1 2 3 4; do (head -c 100M /dev/zero | tail -c 90M | sleep 60) & done; wait'
  expect((await run(eaters, { boundary: small })).limit).toBe('memory')
  const short = await confine({ limits: { ...bounds, fileBytes: 1024 ** 2 } })
  expect((await run('head -c 5M /dev/zero > big', { boundary: short })).exitCode).not.toBe(0)
  const full = await confine({ limits: { ...bounds, freeBytes: Number.MAX_SAFE_INTEGER } })
  expect((await run('sleep 60', { boundary: full })).limit).toBe('disk')
  const cramped = await confine({ limits: { ...bounds, temporaryBytes: 1024 ** 2 } })
  expect((await run('head -c 5M /dev/zero > /tmp/big', { boundary: cramped })).exitCode).not.toBe(0)
})

test('[PR15] a folder that does not exist is a failure of the start', async () => {
  const boundary = await confine({ writable: [join(base, 'nowhere')] })
  expect(await run('echo ran', { boundary })).toMatchObject({ failure: 'confinement' })
})

test('[PR15] a machine that cannot confine says why and how to change that', async () => {
  const planted = join(base, 'planted')
  await mkdir(planted)
  await writeFile(join(planted, 'bwrap'), '#!/bin/sh\nexit 0\n')
  await chmod(join(planted, 'bwrap'), 0o777)
  const found = await openBubblewrap({ path: planted, userHome: homedir(), hidden: [], systemFolders: [] })
  expect(found).toEqual({
    isOn: false,
    reason: expect.stringContaining('not installed'),
    fix: expect.stringContaining('bubblewrap'),
  })
})

test('[PR16] the search path shows toolchains in the home, and never the home itself', () => {
  const path =
    '/usr/bin:/home/a/.nvm/versions/node/v24/bin:/home/a/.cargo/bin:/home/a:/home/a/:/srv/tools/bin:relative:/home/a/.pyenv/shims'
  expect(toolchainFolders(path, '/home/a')).toEqual([
    '/usr/bin',
    '/home/a/.nvm/versions/node/v24',
    '/home/a/.cargo/bin',
    '/home/a/.rustup',
    '/srv/tools/bin',
    '/home/a/.pyenv',
  ])
  expect(toolchainFolders('/home:/', '/home/a')).toEqual([])
})
