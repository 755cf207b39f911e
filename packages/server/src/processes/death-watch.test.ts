import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDeathWatch } from './death-watch.ts'
import { isAlive, listProcesses, listWatchers, pidsIn, startShell, until } from './test-processes.ts'

test('[PR4] no child process survives kill -9 of the server', { timeout: 120_000 }, async () => {
  const commands = [
    'echo pid=$$; sleep 1000 & echo pid=$!; echo ready; wait',
    `trap '' TERM HUP INT; echo pid=$$; (trap '' HUP; sleep 1000) & echo pid=$!; echo ready; sleep 1000 | sleep 1000`,
    'echo pid=$$; echo ready; exec sleep 1000 >/dev/null 2>&1',
    'nohup setsid sleep 1000 >/dev/null 2>&1 & echo pid=$!; (setsid sleep 1000 & echo pid=$!); echo ready; wait',
  ]
  const { server, output } = startProgram(`for (const command of ${JSON.stringify(commands)}) start(command)`)
  await until(() => output().split('ready').length > commands.length)
  const made = pidsIn(output())
  expect(made).toHaveLength(7)
  expect(made.filter(isAlive)).toEqual(made)
  server.kill('SIGKILL')
  await until(() => !made.some(isAlive))
})

test('[PR4] a trusted program may finish after kill -9 of the server, and is ended after ten seconds', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-processes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const finished = join(folder, 'finished')
  const { server, output } = startProgram(`
    start("echo ready; sleep 2; : >'${finished}'", 'trusted')
    start("trap '' TERM; echo pid=$$; echo ready; while :; do sleep 1; done", 'trusted')`)
  await until(() => output().split('ready').length > 2)
  server.kill('SIGKILL')
  await until(() => existsSync(finished))
  const [stubborn] = pidsIn(output())
  expect(isAlive(stubborn!)).toBe(true)
  await until(() => !isAlive(stubborn!))
})

test('[NR159] a command that starts after all others have ended does not outlive the server', {
  timeout: 120_000,
}, async () => {
  const { server, output } = startProgram(`
    await start('true').gone
    start('echo pid=$$; echo ready; sleep 1000')`)
  await until(() => output().includes('ready'))
  const [pid] = pidsIn(output())
  expect(isAlive(pid!)).toBe(true)
  server.kill('SIGKILL')
  await until(() => !isAlive(pid!))
})

test('[NR159] no command survives a server that is killed while it starts commands', { timeout: 120_000 }, async () => {
  const marker = `clawboo-orphan-${process.pid}`
  for (let round = 0; round < 5; round++) {
    const { server, output } = startProgram(`
      const more = () => {
        start('sleep 1000; : ${marker}')
        process.stdout.write('.')
        setTimeout(more, 1)
      }
      more()`)
    await until(() => output().length > round * 5)
    server.kill('SIGKILL')
    await until(async () => {
      const lines = await listProcesses('args=')
      return lines.every((line) => line.includes('startProcess') || !line.includes(`: ${marker}`))
    })
  }
})

test('[PR5] a watcher that was killed is replaced before another program runs', { timeout: 60_000 }, async () => {
  const first = startShell('sleep 1000')
  await until(async () => (await listWatchers()).length === 1)
  const [watcher] = await listWatchers()
  process.kill(watcher!, 'SIGKILL')
  const second = startShell('echo pid=$$; sleep 1000')
  await until(() => pidsIn(second.output()).length === 1)
  const [replaced, ...more] = await listWatchers()
  expect(replaced).not.toBe(watcher)
  expect(more).toEqual([])
  await Promise.all([first.stop(), second.stop()])
})

test('[PR5] a watcher that was killed is replaced while its children run', async () => {
  const child = startShell('sleep 1000')
  await until(async () => (await listWatchers()).length === 1)
  const [watcher] = await listWatchers()
  process.kill(watcher!, 'SIGKILL')
  await until(async () => (await listWatchers()).some((pid) => pid !== watcher))
  await child.stop()
})

test('[PR6] a dismissed watcher kills nothing, not even a marked child that has just started', async () => {
  await until(async () => (await listWatchers()).length === 0)
  const mark = `CLAWBOO_EXEC=test${process.pid}`
  const [name, value] = mark.split('=') as [string, string]
  const watch = createDeathWatch(mark)
  const first = spawn('sleep', ['1000'], { detached: true })
  const late = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, [name]: value } })
  onTestFinished(() => void [first, late].map((child) => child.kill('SIGKILL')))
  await watch.add(first.pid!, 'kill')
  const watchers = await listWatchers()
  expect(watchers).toHaveLength(1)
  watch.remove(first.pid!)
  await until(() => !isAlive(watchers[0]!))
  expect([first, late].map(({ pid }) => isAlive(pid!))).toEqual([true, true])
})

test('[PR6] the server has one watcher while children run, and none afterwards', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 2; round++) {
    const running = Array.from({ length: 3 }, () => startShell('read -r line', { stdin: 'open' }))
    await until(async () => (await listWatchers()).length === 1)
    for (const each of running) each.closeInput()
    await Promise.all(running.map((each) => each.gone))
    await until(async () => (await listWatchers()).length === 0)
  }
})

/**
 * Starts a separate server process that runs this code. In the code, `start` starts a shell command and prints its
 * output.
 */
function startProgram(code: string) {
  const program = `
    import { startProcess } from ${JSON.stringify(join(import.meta.dirname, 'start-process.ts'))}
    const start = (command, boundary = 'unconfined') => startProcess({
      program: '/bin/sh',
      args: ['-c', command],
      cwd: '/',
      env: { PATH: process.env.PATH },
      stdin: 'none',
      timeoutMs: 0,
      boundary,
      onOutput: (stream, chunk) => process.stdout.write(chunk),
    })
    ${code}`
  const server = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  let output = ''
  server.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  return { server, output: () => output }
}
