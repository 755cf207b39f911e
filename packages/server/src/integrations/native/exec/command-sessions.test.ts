import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isSoak } from '../../../../../../test/seed.ts'
import { isAlive, listWatchers, pidsIn, testProcesses, until } from '../../../processes/test-processes.ts'
import { createCommandOutput, createTailBuffer, OUTPUT_MAX_CHARS, PENDING_MAX_CHARS } from './command-output.ts'
import { type CommandRequest, type CommandSessions, createCommandSessions } from './command-sessions.ts'

const processes = testProcesses()
let sessions: CommandSessions
let time = 0
beforeEach(() => {
  time = 1_000_000
  sessions = createCommandSessions(processes, () => time)
})
afterEach(() => sessions.dispose(200))

const REQUEST: Omit<CommandRequest, 'command'> = {
  shell: '/bin/sh',
  cwd: '/',
  at: '/',
  env: { PATH: process.env.PATH! },
  boundary: 'unconfined',
  timeoutMs: 0,
  input: false,
}
const start = (command: string, overrides: Partial<CommandRequest> = {}) =>
  sessions.start({ ...REQUEST, command, ...overrides })!

test('[NR153] a command that runs too long is stopped with everything that it started', async () => {
  const session = start('echo pid=$$; sleep 1000 & echo pid=$!; (sleep 1000 & echo pid=$!; wait) & wait', {
    timeoutMs: 1500,
  })
  expect(await session.ended).toMatchObject({ timedOut: true, stopped: false })
  const made = pidsIn(session.output.text())
  expect(made.length).toBeGreaterThan(0)
  await session.gone
  expect(made.filter(isAlive)).toEqual([])
})

test('[NR153] a command that ignores TERM is killed', async () => {
  const session = start(
    `trap '' TERM; echo pid=$$; sh -c 'trap "" TERM; echo pid=$$; while :; do sleep 1; done' & wait; sleep 1000`,
  )
  await until(() => pidsIn(session.output.text()).length === 2)
  await session.stop(100)
  expect(await session.ended).toMatchObject({ signal: 'SIGKILL', stopped: true })
  await session.gone
  expect(pidsIn(session.output.text()).filter(isAlive)).toEqual([])
})

test('[NR158] processes that a command leaves behind end with it', async () => {
  const session = start('sleep 1000 >/dev/null 2>&1 & echo pid=$!')
  expect(await session.ended).toMatchObject({ exitCode: 0 })
  await session.gone
  expect(pidsIn(session.output.text()).filter(isAlive)).toEqual([])
})

test('[NR165] disposing of the sessions ends every command', async () => {
  const made = [start('echo pid=$$; exec sleep 1000'), start('echo pid=$$; sleep 1000 & echo pid=$!; wait')]
  await until(() => made.every((session) => pidsIn(session.output.text()).length > 0))
  await until(() => pidsIn(made[1]!.output.text()).length === 2)
  await sessions.dispose(200)
  expect(made.flatMap((session) => pidsIn(session.output.text())).filter(isAlive)).toEqual([])
  expect(sessions.start(made[0]!.request)).toBeNull()
})

test('[NR157] a finished session is kept for half an hour', async () => {
  const session = start('true')
  sessions.keep(session)
  expect(sessions.forget(session.id)).toBe(false)
  await session.ended
  time += 30 * 60_000 - 1
  expect(sessions.get(session.id)).toBe(session)
  time += 1
  expect(sessions.get(session.id)).toBeNull()
  expect(sessions.list()).toEqual([])
})

test('[NR175] at most a hundred finished sessions are kept, even if nobody lists them', {
  timeout: 120_000,
}, async () => {
  const made = []
  for (let round = 0; round < 11; round++) {
    const batch = Array.from({ length: 10 }, () => start('true'))
    for (const session of batch) sessions.keep(session)
    await Promise.all(batch.map((session) => session.gone))
    made.push(...batch)
  }
  // `forget` does not drop other sessions, unlike `list` and `get`.
  expect(made.filter(({ id }) => sessions.forget(id))).toHaveLength(100)
})

test('[NR176] no process is left for an agent whose commands have ended', { timeout: 60_000 }, async () => {
  const own = Array.from({ length: 3 }, () => createCommandSessions(processes))
  try {
    for (let round = 0; round < 2; round++) {
      const running = own.map((each) => each.start({ ...REQUEST, command: 'read -r line', input: true })!)
      await until(async () => (await listWatchers()).length > 0)
      for (const session of running) session.closeInput()
      await Promise.all(running.map((session) => session.gone))
      await until(async () => (await listWatchers()).length === 0)
    }
  } finally {
    await Promise.all(own.map((each) => each.dispose(200)))
  }
})

test('[NR155] the end of endless output is kept in constant memory', { timeout: 120_000 }, async () => {
  const bytes = isSoak ? 1_000_000_000 : 150_000_000
  const print = (count: number) => start(`head -c ${count} /dev/zero | tr '\\0' x; echo; echo last line`)
  // The first stream also allocates memory that later streams use again.
  await print(50_000_000).ended
  const before = process.memoryUsage().rss
  const session = print(bytes)
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  await session.ended
  clearInterval(look)
  expect(session.output.text()).toHaveLength(OUTPUT_MAX_CHARS)
  expect(session.output.text()).toMatch(/x\nlast line\n$/)
  expect(session.output.dropped()).toBe(bytes + 11 - OUTPUT_MAX_CHARS)
  const pending = session.output.takePending()
  expect(pending.stdout).toHaveLength(PENDING_MAX_CHARS)
  expect(pending.lost).toBe(bytes + 11 - PENDING_MAX_CHARS)
  expect(most - before).toBeLessThan(bytes)
})

test('[NR155] a buffer keeps exactly the end of its text, in whole characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 30 })),
      fc.integer({ min: 1, max: 50 }),
      (pieces, max) => {
        const buffer = createTailBuffer(max)
        for (const piece of pieces) buffer.push(piece)
        const whole = pieces.join('')
        expect(whole.endsWith(buffer.text())).toBe(true)
        expect(buffer.text().length + buffer.dropped()).toBe(whole.length)
        expect(buffer.text().length).toBeLessThanOrEqual(max)
        expect(buffer.text().length).toBeGreaterThanOrEqual(Math.min(whole.length, max) - 1)
        expect(buffer.text().isWellFormed()).toBe(true)
      },
    ),
  )
})

test('[NR156] a character that is split between two chunks arrives whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(20)), (text, sizes) => {
      const output = createCommandOutput()
      const bytes = Buffer.from(text.replaceAll('\0', 'x'))
      let at = 0
      for (const size of sizes) {
        output.push('stdout', bytes.subarray(at, at + size))
        at += size
      }
      output.push('stdout', bytes.subarray(at))
      output.end()
      expect(output.text()).toBe(text.replaceAll('\0', 'x'))
      expect(output.takePending().stdout).toBe(text.replaceAll('\0', 'x'))
    }),
  )
  const output = createCommandOutput()
  output.push('stdout', Buffer.from([0xf0, 0x9f]))
  output.push('stderr', Buffer.from('a\0b'))
  output.end()
  expect(output.text()).toBe('a\ufffdb\ufffd')
})

test('[NR159] no command survives kill -9 of the server', { timeout: 120_000 }, async () => {
  for (const command of [
    'echo pid=$$; sleep 1000 & echo pid=$!; echo ready; wait',
    `trap '' TERM HUP INT; echo pid=$$; (trap '' HUP; sleep 1000) & echo pid=$!; echo ready; sleep 1000 | sleep 1000`,
    'echo pid=$$; echo ready; exec sleep 1000 >/dev/null 2>&1',
  ]) {
    const program = `
      import { createCommandSessions } from ${JSON.stringify(join(import.meta.dirname, 'command-sessions.ts'))}
      import { testProcesses } from ${JSON.stringify(join(import.meta.dirname, '../../../processes/test-processes.ts'))}
      const sessions = createCommandSessions(testProcesses())
      const session = sessions.start(${JSON.stringify({ ...REQUEST, command, input: true })})
      setInterval(() => process.stdout.write(session.output.text()), 20)`
    const server = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const made = pidsIn(await firstOutput(server))
    expect(made.length).toBeGreaterThan(0)
    expect(made.every(isAlive)).toBe(true)
    server.kill('SIGKILL')
    await until(() => !made.some(isAlive))
  }
})

function firstOutput(server: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    server.stdout!.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.includes('ready')) resolve(text)
    })
  })
}
