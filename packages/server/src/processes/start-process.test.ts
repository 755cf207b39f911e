import { expect, test } from 'vitest'
import { keepBothEnds, keepStart } from './bounded-output.ts'
import { openProcesses } from './open-processes.ts'
import { isAlive, pidsIn, startShell, until } from './test-processes.ts'

test('[PR1] a child has the allowed variables of the server, its own and the mark, and no others', async () => {
  const { environment } = openProcesses({
    userHome: '/h',
    hidden: [],
    environment: {
      PATH: process.env.PATH,
      HOME: '/h',
      TERM: 'x',
      LANG: undefined,
      CLAWBOO_MASTER_KEY: 'k',
      NODE_OPTIONS: '--inspect',
    },
  })
  const running = startShell('exec env', { env: environment({ PORT: '1' }) })
  await running.ended
  const names = running
    .output()
    .trim()
    .split('\n')
    .map((line) => line.slice(0, line.indexOf('=')))
  expect(names.filter((name) => name !== 'PWD').sort()).toEqual(['CLAWBOO_EXEC', 'HOME', 'PATH', 'PORT', 'TERM'])
})

test('[PR1] the PATH of a child has absolute entries only', () => {
  expect(
    openProcesses({ environment: { PATH: '.::bin:/usr/bin:../x:/bin' }, userHome: '/h', hidden: [] }).environment(),
  ).toEqual({ PATH: '/usr/bin:/bin' })
})

test('[PR2] a tree that ignores TERM is killed', async () => {
  const running = startShell(
    `trap '' TERM; echo pid=$$; sh -c 'trap "" TERM; echo pid=$$; while :; do sleep 1; done' & wait; sleep 1000`,
  )
  await until(() => pidsIn(running.output()).length === 2)
  await running.stop(100)
  expect(pidsIn(running.output()).filter(isAlive)).toEqual([])
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL', stopped: true, timedOut: false })
})

test('[PR2] a tree has five seconds to end after TERM', { timeout: 60_000 }, async () => {
  const running = startShell(`trap 'sleep 1; echo tidied; exit 7' TERM; echo ready; while :; do sleep 0.1; done`)
  await until(() => running.output().includes('ready'))
  await running.stop()
  expect(running.output()).toContain('tidied')
  expect(await running.ended).toMatchObject({ exitCode: 7, stopped: true })
})

test('[PR2] a process that left the group is stopped with the tree', async () => {
  const escapes = [
    'setsid sleep 1000 & echo pid=$!',
    // Without the mark, the process is found through its parent.
    'env -i setsid sleep 1000 & echo pid=$!',
    // Without the parent, the process is found through the mark.
    '(setsid sleep 1000 & echo pid=$!)',
  ]
  const running = startShell(`${escapes.join('; ')}; wait; sleep 1000`)
  await until(() => pidsIn(running.output()).length === escapes.length)
  await running.stop()
  expect(pidsIn(running.output()).filter(isAlive)).toEqual([])
})

test('[PR2] a program that runs too long is stopped', async () => {
  const running = startShell('echo pid=$$; sleep 1000 & echo pid=$!; wait', { timeoutMs: 500 })
  expect(await running.ended).toMatchObject({ timedOut: true, stopped: false, exitCode: null })
  await running.gone
  expect(pidsIn(running.output()).filter(isAlive)).toEqual([])
})

test('[PR3] processes that a program leaves behind end with it', async () => {
  const running = startShell(
    'sleep 1000 >/dev/null 2>&1 & echo pid=$!; setsid sleep 1000 >/dev/null 2>&1 & echo pid=$!',
  )
  expect(await running.ended).toMatchObject({ exitCode: 0, stopped: false })
  await running.gone
  expect(pidsIn(running.output())).toHaveLength(2)
  expect(pidsIn(running.output()).filter(isAlive)).toEqual([])
})

test('[PR3] the end of a program is known while its children still print', async () => {
  const running = startShell('(sleep 0.5; echo late) & exit 3')
  expect(await running.exited).toMatchObject({ exitCode: 3, stopped: false })
  expect(running.output()).toBe('')
  expect(await running.ended).toMatchObject({ exitCode: 3, stopped: false })
  expect(running.output()).toBe('late\n')
})

test('[PR7] an output keeps its first bytes, or its first and last bytes', async () => {
  const start = keepStart(100)
  const ends = keepBothEnds(100)
  const running = startShell('echo first; yes | head -c 100000; echo last', {
    onOutput(_stream, chunk) {
      start.add(chunk)
      ends.add(chunk)
    },
  })
  await running.ended
  expect(start.bytes().toString()).toBe(`first\n${'y\n'.repeat(47)}`)
  expect(start.omitted()).toBe(100_011 - 100)
  expect(ends.text()).toMatch(/^first\ny[\sy]*… 99811 bytes left out …[\sy]*last\n$/)
  expect(ends.omitted()).toBe(100_011 - 200)
})

test('[PR8] a program or a folder that does not exist is a failure with its code', async () => {
  for (const missing of [{ program: 'no-such-program', boundary: 'trusted' as const }, { cwd: '/no/such/folder' }]) {
    const running = startShell('true', missing)
    expect(running.pid).toBeNull()
    expect(await running.exited).toMatchObject({ failure: 'ENOENT', exitCode: null })
    expect(await running.ended).toMatchObject({ failure: 'ENOENT', exitCode: null })
    await running.gone
    await running.stop()
  }
})

test('[PR9] the input is passed at the start, written while the program runs, or empty', async () => {
  const whole = startShell('cat', { stdin: Buffer.from('all of it') })
  await whole.ended
  expect(whole.output()).toBe('all of it')
  expect(await whole.write('more')).toBe(false)

  const open = startShell('cat', { stdin: 'open' })
  expect(await open.write('one ')).toBe(true)
  expect(await open.write('two')).toBe(true)
  open.closeInput()
  await open.ended
  expect(open.output()).toBe('one two')

  const none = startShell('cat')
  expect(await none.write('x')).toBe(false)
  expect(await none.ended).toMatchObject({ exitCode: 0 })
})

test('[PR9] a program that never reads its input does not block the writer', async () => {
  const running = startShell('sleep 1000', { stdin: 'open' })
  expect(await running.write('x'.repeat(1_000_000))).toBe(true)
  await running.stop()
})

test('[PR9] an interrupt reaches the whole group', async () => {
  const running = startShell(`trap 'echo caught; exit 4' INT; echo ready; while :; do sleep 0.05; done`)
  await until(() => running.output().includes('ready'))
  running.interrupt()
  expect(await running.ended).toMatchObject({ exitCode: 4, stopped: false })
  expect(running.output()).toContain('caught')
})
