import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCommandLine } from '../../packages/server/src/cli/run-command-line.ts'
import { WITH_GATE } from '../api/gate/server-with-gate.ts'
import { type GateUpstream, startUpstream } from '../api/gate/upstream.ts'
import { removeHome, type ServerProcess, startServer } from '../server-process.ts'

const SECRET = 'open-sesame-4711'
let server: ServerProcess
let upstream: GateUpstream
beforeAll(async () => {
  server = await startServer(WITH_GATE)
  // The first validated request loads the schemas, which may take longer than a command waits.
  await server.client.getConnection({ params: { sourceId: 'gate' } })
})
afterAll(async () => {
  await server.stop()
  await removeHome(server.home)
})
beforeEach(async () => {
  upstream = await startUpstream(SECRET, ['moss', 'fern'])
})
afterEach(async () => {
  await server.client.disconnectSource({ params: { sourceId: 'gate' } })
  await upstream.leave()
  await rm(settings(), { force: true })
})

const settings = () => join(server.home, 'gate.json')
const foundIs = (found: object) => writeFile(settings(), JSON.stringify(found))

/** Runs the command without a terminal. */
async function clawboo(args: readonly string[], input = '') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input)
  const printed = Promise.all([readAll(stdout), readAll(stderr)])
  const code = await runCommandLine(args, { env: { CLAWBOO_HOME: server.home }, stdin, stdout, stderr })
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  return { code, stdout: out, stderr: err }
}

/** Runs the command as if at a terminal. */
function atTerminal(args: readonly string[]) {
  const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }))
  let seen = ''
  for (const stream of [stdout!, stderr!]) stream.on('data', (chunk) => (seen += String(chunk)))
  const streams = { stdin: stdin!, stdout: stdout!, stderr: stderr! }
  const code = runCommandLine(args, { env: { CLAWBOO_HOME: server.home }, ...streams })
  return { code, seen: () => seen, type: (keys: string) => stdin!.write(keys) }
}

test('[RG58] lists each source with its state, age, Boos and problem', async () => {
  const before = await clawboo(['sources'])
  expect(before.stdout).toMatch(/^SOURCE +STATE +AGE +BOOS +PROBLEM$/m)
  expect(before.stdout).toMatch(/^Gate +not connected +- +0 +-$/m)
  expect(before.stdout).toMatch(/^Clawboo +ready .* 0 +-$/m)
  await clawboo(['sources', 'connect', 'gate', '--address', upstream.address], SECRET)
  expect((await clawboo(['sources'])).stdout).toMatch(/^Gate +connected +just now +2 +-$/m)
  await upstream.leave()
  await expect
    .poll(async () => (await clawboo(['sources', 'list'])).stdout)
    .toMatch(/^Gate +trying again +just now, as last seen +2 +Nothing responds at 127\.0\.0\.1:\d+\. Start it\.$/m)
  await upstream.comeBack()
  const { sources } = JSON.parse((await clawboo(['sources', '--json'])).stdout) as { sources: unknown[] }
  expect(sources.at(-1)).toMatchObject({ sourceId: 'gate', connection: { address: upstream.address } })
})

test('[RG59] connects a found upstream by the source’s name alone, and disconnects it', async () => {
  await foundIs({ address: upstream.address, secret: SECRET })
  const connected = await clawboo(['sources', 'connect', 'GATE'])
  expect(connected).toEqual({
    code: 0,
    stdout: `Gate is connected at ${upstream.address}, version 4.7.11\n`,
    stderr: '',
  })
  const ended = await clawboo(['sources', 'disconnect', 'gate'])
  expect([ended.code, ended.stdout]).toEqual([0, 'Gate is not connected; its Boos stay as last seen\n'])
  expect(JSON.parse((await clawboo(['sources', 'disconnect', 'gate', '--json'])).stdout)).toMatchObject({
    address: null,
  })
})

test('[RG59] without a terminal, reads the secret from standard input and prints a problem with its remedy and exit code 1', async () => {
  const connect = (input: string) => clawboo(['sources', 'connect', 'gate', '--address', upstream.address], input)
  const none = await connect('')
  expect([none.code, none.stderr]).toEqual([1, ''])
  expect(none.stdout).toBe(
    `Gate is not connected at ${upstream.address}: It requires a secret.\nEnter the secret from gate.json.\n`,
  )
  const wrong = await connect('wrong-one\n')
  expect([wrong.code, wrong.stdout.includes('wrong-one')]).toEqual([1, false])
  expect((await connect(`${SECRET}\n`)).code).toBe(0)
  expect(upstream.seen).toEqual([null, 'wrong-one', SECRET])
})

test('[RG59] at a terminal, asks for an unknown secret without showing it', async () => {
  await foundIs({ address: upstream.address })
  const run = atTerminal(['sources', 'connect', 'gate'])
  await expect.poll(run.seen).toContain('Gate secret: ')
  expect(upstream.seen).toEqual([])
  run.type('wrong-one\r')
  await expect.poll(run.seen).toContain('Gate secret (the last one was wrong): ')
  run.type(`${SECRET}\r`)
  expect(await run.code).toBe(0)
  expect(run.seen()).toContain('Gate is connected')
  expect(run.seen()).not.toMatch(/wrong-one|sesame/)
  expect(upstream.seen).toEqual(['wrong-one', SECRET])
})

test('[RG59] at a terminal, does not ask for a known secret, and Ctrl-C at the question changes nothing', async () => {
  await foundIs({ address: upstream.address, secret: SECRET })
  const known = atTerminal(['sources', 'connect', 'gate'])
  expect(await known.code).toBe(0)
  expect(known.seen()).not.toContain('Gate secret')
  await clawboo(['sources', 'disconnect', 'gate'])
  await foundIs({ address: upstream.address })
  const left = atTerminal(['sources', 'connect', 'gate'])
  await expect.poll(left.seen).toContain('Gate secret: ')
  left.type('\u0003')
  expect(await left.code).toBe(1)
  expect(left.seen()).toContain('Nothing was changed')
  expect(upstream.seen).toEqual([SECRET])
})

test('[RG59] prints why a source cannot be connected, and exits with its code', async () => {
  for (const [code, words, ...args] of [
    [2, 'pass its address with --address', 'connect', 'gate'],
    [2, '<source> is missing', 'connect'],
    [2, 'unknown option "--secret"', 'connect', 'gate', '--secret', SECRET],
    [5, 'there is no source "gaet"; did you mean "Gate"?', 'connect', 'gaet'],
    [5, 'there is no source "zzzzzzzz"; known: ', 'disconnect', 'zzzzzzzz'],
    [4, 'has nothing to connect', 'connect', 'clawboo', '--address', 'x'],
    [4, 'has nothing to connect', 'disconnect', 'clawboo'],
    [4, 'is not on this machine', 'connect', 'gate', '--address', 'gate.example.org:1'],
    [4, 'send the secret separately', 'connect', 'gate', '--address', 'ws://me:pw@gate'],
  ] as const) {
    const run = await clawboo(['sources', ...args])
    expect([args, run.code, run.stderr]).toEqual([args, code, expect.stringContaining(words)])
  }
  expect(upstream.seen).toEqual([])
})
