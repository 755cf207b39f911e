import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readToken } from '../../access/operator-token.ts'
import { openVault } from '../../access/vault.ts'
import { homeFiles, readServerNote, writeServerNote } from '../../home.ts'
import { takeHomeLock } from '../../store/sqlite/home-lock.ts'
import { createTestHome, finished, type TestHome } from '../test-clawboo.ts'

let place: TestHome
beforeEach(async () => {
  place = await createTestHome()
})
afterEach(() => place.dispose())

async function signIn(link: string): Promise<number> {
  const { origin, hash } = new URL(link)
  const body = JSON.stringify({ code: hash.slice(1) })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${origin}/api/sign-in`, { method: 'POST', headers, body })).status
}

test('[CL7] start --detach returns once the server responds, with a link that signs in once', async () => {
  const started = await place.clawboo(['start', '--detach', '--json'])
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const { pid, url, signInLink } = started.json<{ pid: number; url: string; signInLink: string }>()
  expect((await readServerNote(place.home))?.pid).toBe(pid)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect([await signIn(signInLink), await signIn(signInLink)]).toEqual([204, 401])
  const log = await readFile(join(place.home, 'logs', 'server.log'), 'utf8')
  expect(log).toContain('"msg":"started"')
  expect(log).not.toContain('sign-in#')
  expect((await stat(join(place.home, 'logs', 'server.log'))).mode & 0o777).toBe(0o600)
})

test('[CL6] a command waits for a server that is slow to respond', async () => {
  const { pid } = (await place.clawboo(['start', '--detach', '--json'])).json<{ pid: number }>()
  process.kill(pid, 'SIGSTOP')
  const created = place.clawboo(['agents', 'create', 'Ada'])
  const first = await Promise.race([created, sleep(3_500)])
  process.kill(pid, 'SIGCONT')
  expect(first).toBeUndefined()
  expect(await created).toMatchObject({ code: 0, stderr: '' })
})

test('[CL8] a second start prints where the server is running and a new link', async () => {
  const first = (await place.clawboo(['start', '--detach', '--json'])).json()
  const second = await place.clawboo(['start'])
  expect(second.code).toBe(0)
  expect(second.stdout).toContain(`is already running at ${first.url} (pid ${first.pid})`)
  const link = /http\S+#\S+/.exec(second.stdout)![0]
  expect(link).not.toBe(first.signInLink)
  expect(await signIn(link)).toBe(204)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  '[CL9] start in the foreground stops its server on %s and exits with its code',
  async (signal) => {
    const child = place.launch(['start'])
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    while (!output.includes('/sign-in#')) await once(child.stdout, 'data')
    const { code } = await place.clawboo(['status'])
    expect(code).toBe(0)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    takeHomeLock(homeFiles(place.home).lock)!.release()
  },
)

test('[CL9] start in the foreground with --json prints one document and nothing else to stdout', async () => {
  const child = place.launch(['start', '--json'])
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  while (!output.includes('\n')) await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(JSON.parse(output)).toMatchObject({ version: '0.1.0', signInLink: expect.stringContaining('/sign-in#') })
})

test('[CL10] stop waits until the server has exited; without a server it exits with 3', async () => {
  const { pid } = (await place.clawboo(['start', '--detach', '--json'])).json<{ pid: number }>()
  const stopped = await place.clawboo(['stop', '--json'])
  expect(stopped.json()).toEqual({ stopped: true, pid })
  takeHomeLock(homeFiles(place.home).lock)!.release()
  const again = await place.clawboo(['stop', '--json'])
  expect(again.code).toBe(3)
  expect(again.json()).toMatchObject({ error: { code: 'server_not_running' } })
})

test('[CL11] stop never ends a process that is not the server of this home folder, whatever the note contains', async () => {
  const bystander = spawn('sleep', ['60'])
  const other = await createTestHome()
  try {
    const served = (await other.clawboo(['start', '--detach', '--json'])).json<{ pid: number; url: string }>()
    const note = { pid: bystander.pid!, url: served.url, version: '0.1.0', instance: 'not that one', startedAt: 1 }
    await writeServerNote(place.home, note)
    expect((await place.clawboo(['stop'])).code).toBe(3)
    // This test locks the home folder itself; the bystander and the other server do not.
    const lock = takeHomeLock(homeFiles(place.home).lock)!
    await writeFile(homeFiles(place.home).token, `${'x'.repeat(43)}\n`)
    const refused = await place.clawboo(['stop'])
    lock.release()
    expect(refused.code).not.toBe(0)
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
    expect((await other.clawboo(['status'])).code).toBe(0)
  } finally {
    bystander.kill('SIGKILL')
    await other.dispose()
  }
})

test('[CL12] status describes the running server, and exits with 3 when none is running', async () => {
  expect(await place.clawboo(['status'])).toMatchObject({ code: 3, stdout: `Not running (${place.home})\n` })
  const { pid, url } = (await place.clawboo(['start', '--detach', '--json'])).json()
  const running = await place.clawboo(['status', '--json'])
  expect(running.code).toBe(0)
  const expected = {
    running: true,
    pid,
    url,
    version: '0.1.0',
    engine: 'sqlite',
    agents: 0,
    teams: 0,
    home: place.home,
  }
  expect(running.json()).toMatchObject({ ...expected, uptimeMs: expect.any(Number) })
  process.kill(pid as number, 'SIGKILL')
  while (existsSync(`/proc/${pid}`)) await sleep(10)
  expect((await place.clawboo(['status'])).code).toBe(3)
})

interface Examination {
  readonly healthy: boolean
  readonly findings: { check: string; state: string; advice?: string }[]
}

async function examine(): Promise<{ code: number | null; states: Record<string, string>; healthy: boolean }> {
  const run = await place.clawboo(['doctor', '--json'])
  const { healthy, findings } = run.json<Examination>()
  for (const { state, advice } of findings) expect(advice === undefined).toBe(state === 'ok')
  return { code: run.code, healthy, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) }
}

test('[CL13] doctor reports a running installation as healthy', async () => {
  await place.clawboo(['start', '--detach'])
  const { code, states } = await examine()
  expect(code).toBe(0)
  const sound = { node: 'ok', home: 'ok', token: 'ok', database: 'ok', migrations: 'ok', server: 'ok', vault: 'ok' }
  expect(states).toMatchObject(sound)
  expect(Object.keys(states)).toEqual(expect.arrayContaining(['disk', 'page', expect.stringMatching(/^source /)]))
  const { stdout } = await place.clawboo(['doctor'])
  expect(stdout.trimEnd().split('\n')).toHaveLength(Object.keys(states).length)
})

test('[CL13] doctor fails for loose permissions, a damaged database and a secret without its key, and repairs nothing', async () => {
  await place.clawboo(['start', '--detach'])
  await place.clawboo(['stop'])
  const files = homeFiles(place.home)
  await (await openVault(place.home, 'one master key')).store('API_KEY', 'canary-secret')
  const bytes = await readFile(files.database)
  bytes.fill(0x5a, 4096, 40_960)
  await writeFile(files.database, bytes)
  await chmod(files.token, 0o644)
  await chmod(place.home, 0o755)
  const { code, healthy, states } = await examine()
  expect([code, healthy]).toEqual([1, false])
  expect(states).toMatchObject({ home: 'fail', token: 'fail', database: 'fail', 'master key': 'fail', server: 'warn' })
  expect((await stat(files.token)).mode & 0o777).toBe(0o644)
  expect(await readdir(join(place.home, 'secrets'))).toEqual(['API_KEY.secret'])

  const other = await place.clawboo(['doctor', '--json'], { env: { CLAWBOO_MASTER_KEY: 'another master key' } })
  expect(other.json<Examination>().findings).toContainEqual(expect.objectContaining({ check: 'vault', state: 'fail' }))
})

test('[CL13] doctor creates nothing in a home folder that does not exist', async () => {
  const missing = join(place.home, 'not', 'there')
  const { code } = await place.clawboo(['doctor'], { env: { CLAWBOO_HOME: missing } })
  expect(code).toBe(0)
  expect(existsSync(missing)).toBe(false)
})

test('[CL14] a failed start reports the reason', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  try {
    const env = { CLAWBOO_PORT: String((taken.address() as { port: number }).port) }
    const detached = await place.clawboo(['start', '--detach'], { env })
    expect(detached.code).toBe(1)
    expect(detached.stderr).toMatch(/^clawboo: cannot listen on .*EADDRINUSE.*server\.log\)\n$/)
    const inFront = await finished(place.launch(['start'], env))
    expect(inFront.code).toBe(1)
    expect(inFront.stderr).toContain('cannot listen on')
  } finally {
    taken.close()
  }
})

test('[CL15] opens a browser only on a desktop, and ignores its failure', async () => {
  const bin = join(place.home, 'bin')
  const opened = join(place.home, 'opened')
  await mkdir(bin)
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${opened}\nexit 1\n`, { mode: 0o700 })
  const env = { PATH: bin }
  const desktop = { ...env, DISPLAY: ':99' }
  expect((await place.clawboo(['start', '--detach', '--open'], { env })).code).toBe(0)
  expect((await place.clawboo(['start'], { env: desktop })).code).toBe(0)
  expect((await place.clawboo(['start', '--open'], { env: { ...desktop, CI: 'true' } })).code).toBe(0)
  const shown = await place.clawboo(['start', '--open', '--json'], { env: desktop })
  while (!existsSync(opened) || (await stat(opened)).size === 0) await sleep(10)
  expect(await readFile(opened, 'utf8')).toBe(`${shown.json().signInLink}\n`)
  const broken = { DISPLAY: ':99', PATH: '/nowhere' }
  expect((await place.clawboo(['start', '--open'], { env: broken })).code).toBe(0)
})

test('[CL16] token rotate replaces the token, with or without a server', async () => {
  const { token } = homeFiles(place.home)
  expect((await place.clawboo(['token', 'show'])).code).toBe(5)
  await place.clawboo(['start', '--detach'])
  const first = await readToken(token)
  const rotated = await place.clawboo(['token', 'rotate'])
  const second = await readToken(token)
  expect([rotated.code, second === first]).toEqual([0, false])
  expect((await place.clawboo(['token'])).stdout).toContain('/sign-in#')
  await place.clawboo(['stop'])
  expect((await place.clawboo(['token', 'rotate'])).code).toBe(0)
  const third = await readToken(token)
  expect(third).not.toBe(second)
  expect((await place.clawboo(['token', 'show'])).stdout).toBe(`${third}\n`)
})
