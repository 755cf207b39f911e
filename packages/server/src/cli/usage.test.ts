import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMANDS } from './command-list.ts'
import { EXIT_CODE_MEANINGS } from './exit-codes.ts'
import { createTestHome, finished, type TestHome } from './test-clawboo.ts'

let place: TestHome
beforeAll(async () => {
  place = await createTestHome()
})
afterAll(() => place.dispose())

test('[CL1] help lists every command and the meaning of every exit code', async () => {
  const { code, stdout } = await place.clawboo(['--help'])
  expect(code).toBe(0)
  for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
  for (const [number, meaning] of Object.entries(EXIT_CODE_MEANINGS)) expect(stdout).toContain(`${number}  ${meaning}`)
  expect((await place.clawboo([])).stdout).toBe(stdout)
  expect((await place.clawboo(['help'])).stdout).toBe(stdout)
})

test('[CL1] every command describes itself with --help and at least two examples', async () => {
  const runs = await Promise.all(COMMANDS.map(({ name }) => place.clawboo([name, '--help'])))
  for (const [index, { code, stdout, stderr }] of runs.entries()) {
    const { name, actions } = COMMANDS[index]!
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('Examples:\n')[1]!.trimEnd().split('\n').length).toBeGreaterThanOrEqual(2)
    for (const action of actions) expect(stdout).toContain(`clawboo ${name} ${action.name}`.trim())
  }
})

test('[CL1] the command is an executable of its own', async () => {
  await access(join(import.meta.dirname, 'clawboo.ts'), constants.X_OK)
  const run = await finished(place.launch(['--help']))
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toBe((await place.clawboo(['--help'])).stdout)
})

test('[CL2] with --json stdout is one JSON document, even for an error', async () => {
  const good = await place.clawboo(['version', '--json'])
  expect(good.json()).toEqual({ version: '0.1.0' })
  expect((await place.clawboo(['--version', '--json'])).json()).toEqual(good.json())
  const stopped = await place.clawboo(['--json', 'status'])
  expect(stopped.json()).toEqual({ running: false, state: 'stopped', home: place.home })
  const bad = await finished(place.launch(['agents', '--json', 'show', 'x', '--nope']))
  expect(bad.json()).toEqual({ error: { code: 'request_invalid', message: expect.stringContaining('--nope') } })
  expect([good.stderr, stopped.stderr, bad.stderr]).toEqual(['', '', ''])
})

test.each([
  [['agnts'], 'unknown command "agnts"; did you mean "agents"?'],
  [['agents', 'shwo', 'x'], 'did you mean "show"?'],
  [['status', '--jsn'], 'unknown option "--jsn"; did you mean "--json"?'],
  [['status', '-x'], 'unknown option "-x"'],
  [['zzzzzz'], 'see `clawboo help`'],
  [['--frobnicate'], 'unknown option "--frobnicate"'],
  [['help', 'bakup'], 'did you mean "backup"?'],
])('[CL3] reports an unknown word in "%s" and suggests the closest known one', async (args, message) => {
  const { code, stdout, stderr } = await place.clawboo(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
})

test.each([
  [['agents', 'rename', 'x'], '<name> is missing'],
  [['status', 'now'], 'unexpected argument "now"'],
  [['agents', 'create', 'x', '--role'], '--role needs a value'],
  [['stop', '--json=yes'], '--json takes no value'],
  [['start', '--open', '--no-open'], 'not both'],
  [['agents', 'create', 'x', '--file', 'SOUL.md'], 'NAME=path'],
  [['agents', 'file', 'x', 'SECRETS.md'], 'SOUL.md'],
  [['restore', 'missing.gz', '--replace', '--yes', '--replace=1'], 'takes no value'],
])('[CL4] refuses the wrong arguments "%s" with a reason', async (args, message) => {
  const { code, stderr } = await place.clawboo(args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})

test('[CL5] prints an error as one line on stderr, without a stack', async () => {
  const bad = await finished(place.launch(['status'], { CLAWBOO_PORT: 'none' }))
  expect(bad).toMatchObject({ code: 1, stdout: '' })
  expect(bad.stderr).toBe('clawboo: CLAWBOO_PORT: "none" is not a port (0 to 65535)\n')
  const missing = await place.clawboo(['restore', 'missing.gz', '--yes'])
  expect(missing.code).toBe(5)
  expect(missing.stderr).toMatch(/^clawboo: the file .*missing.gz does not exist\n$/)
})

test.each([['agents'], ['teams'], ['token link'], ['stop']])(
  '[CL6] "%s" without a server explains how to start one',
  async (words) => {
    const { code, stderr } = await place.clawboo(words.split(' '))
    expect(code).toBe(3)
    expect(stderr).toContain('clawboo start')
  },
)
