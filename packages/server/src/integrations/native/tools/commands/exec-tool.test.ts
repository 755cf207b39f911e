import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isAlive, until } from '../../../../processes/test-processes.ts'
import { FULL, openTools, type TestTools, type TestToolsOptions, UNCONFINED } from '../test-tools.ts'

let opened: TestTools[] = []
const open = async (options: TestToolsOptions = {}) => {
  const tools = await openTools(options)
  opened.push(tools)
  return tools
}
afterEach(async () => {
  await Promise.all(opened.map((tools) => tools.dispose()))
  opened = []
})

const idOf = (result: { readonly details?: unknown }) => (result.details as { sessionId: string }).sessionId

test('[NR150] a command runs only in the workspace or one of its folders', async () => {
  const tools = await open({ rules: FULL })
  await mkdir(join(tools.workspace, 'sub'))
  await symlink('/', join(tools.workspace, 'root'))
  expect((await tools.call('exec', { command: 'pwd' })).text).toBe(tools.workspace)
  expect((await tools.call('exec', { command: 'pwd; echo $PWD', workdir: 'sub' })).text).toBe(
    `${join(tools.workspace, 'sub')}\n${join(tools.workspace, 'sub')}`,
  )
  for (const workdir of ['..', '/', '/tmp', 'root', 'root/tmp', '../..', `${tools.workspace}/../..`]) {
    expect(await tools.call('exec', { command: 'touch made', workdir })).toMatchObject({
      isError: true,
      text: expect.stringContaining('refused'),
    })
  }
  expect((await tools.call('exec', { command: 'pwd', workdir: 'none' })).text).toContain('There is no folder "none"')
})

test('[NR141] a command gets only the listed variables of the server', async () => {
  const tools = await open({ rules: FULL })
  const names = (await tools.call('exec', { command: 'env', env: { PORT: '1' } })).text
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(names.sort()).toEqual(['CLAWBOO_EXEC', 'HOME', 'LANG', 'PATH', 'PORT', 'PWD', 'TMPDIR'])
  expect(await tools.call('exec', { command: 'env', env: { LD_PRELOAD: '/tmp/x.so' } })).toMatchObject({
    isError: true,
    text: expect.stringContaining('"LD_PRELOAD"'),
  })
})

test('[NR130] a new agent runs a confined command without an approval', async () => {
  const tools = await open({ rules: {} })
  expect(await tools.call('exec', { command: 'touch made && ls' })).toMatchObject({ isError: false, text: 'made' })
  expect(tools.questions).toEqual([])
})

test('[NR148] a confined command reaches its workspace and not the folders around it, even after an approval', async () => {
  const tools = await open({ rules: { ask: 'always' }, answer: async () => 'allow-once' as const })
  await writeFile(join(tools.base, 'secret'), 'CANARY')
  const { text } = await tools.call('exec', { command: `cat ${tools.base}/secret ../../secret; ls ..` })
  expect(text).not.toContain('CANARY')
  expect(text).toMatch(/^workspace$/m)
  expect(tools.questions).toHaveLength(1)
})

test('[NR147] without a confiner every command needs an approval, which cannot be permanent', async () => {
  for (const rules of [
    {},
    FULL,
    { security: 'allowlist', ask: 'on-miss', allowlist: [{ pattern: 'touch' }] },
  ] as const) {
    const tools = await open({ ...UNCONFINED, rules, answer: async () => 'deny' as const })
    for (const command of ['touch made', 'ls', 'wc -c'])
      expect(await tools.call('exec', { command })).toMatchObject({ isError: true, details: { status: 'denied' } })
    expect(tools.questions.map(({ mayAlwaysAllow }) => mayAlwaysAllow)).toEqual([false, false, false])
    expect(tools.questions[0]!.reason).toBe('this machine cannot confine programs')
    expect(await readdir(tools.workspace)).toEqual([])
  }
})

test('[NR130] an agent that asks about what is not on its list runs only the safe filters without an approval', async () => {
  const tools = await open()
  expect(await tools.call('exec', { command: 'touch made' })).toMatchObject({
    isError: true,
    text: 'Denied: the person did not allow this command. Nothing was run, so there is no output.',
  })
  expect(tools.questions).toMatchObject([{ action: 'touch made', reason: '"touch" is not on the allow-list' }])
  expect((await tools.call('exec', { command: 'wc -c' })).text).toBe('0')
  expect(await readdir(tools.workspace)).toEqual([])
})

test('[NR151] the person sees exactly the command, folder and variables that will run', async () => {
  const tools = await open({ answer: () => 'allow-once' })
  const command = 'printf "%s" "$MODE" > out.txt'
  const result = await tools.call('exec', { command, env: { MODE: 'fast' } })
  expect(result.isError).toBe(false)
  expect(tools.questions).toEqual([
    {
      tool: 'exec',
      action: command,
      cwd: tools.workspace,
      env: { MODE: 'fast' },
      reason: 'it cannot be checked: it uses "$", whose value is known only when it runs',
      mayAlwaysAllow: false,
    },
  ])
  expect(await readFile(join(tools.workspace, 'out.txt'), 'utf8')).toBe('fast')
})

test('[NR151] a folder that is replaced by a link during the approval does not redirect the command', async () => {
  const tools: TestTools = await open({
    ...UNCONFINED,
    answer: async () => {
      await rename(join(tools.workspace, 'sub'), join(tools.workspace, 'moved'))
      await symlink(tools.base, join(tools.workspace, 'sub'))
      return 'allow-once' as const
    },
  })
  await mkdir(join(tools.workspace, 'sub'))
  await tools.call('exec', { command: 'touch made', workdir: 'sub' })
  expect(await readdir(join(tools.workspace, 'moved'))).toEqual(['made'])
  expect(await readdir(tools.base)).toEqual(['agent'])
})

test('[NR151] changing the arguments or the answer afterwards has no effect', async () => {
  const input = { command: 'echo one > a.txt', env: { A: '1' } }
  const tools = await open({
    answer: (question) => {
      input.command = 'echo two > b.txt'
      ;(question as { action: string }).action = 'echo three > c.txt'
      return 'allow-once'
    },
  })
  await tools.call('exec', input)
  expect(await readdir(tools.workspace)).toEqual(['a.txt'])
})

test('[NR152] a denied command does not run, and the result says that there is no output', async () => {
  const tools = await open({ answer: () => 'deny' })
  const result = await tools.call('exec', { command: 'touch made' })
  expect(result).toMatchObject({ isError: true, details: { status: 'denied' } })
  expect(result.text).toBe('Denied: the person did not allow this command. Nothing was run, so there is no output.')
  expect(await readdir(tools.workspace)).toEqual([])
})

test('[NR142] "always allow" applies from the next command on, to exactly that command', async () => {
  const tools = await open({ answer: () => 'allow-always' })
  for (let times = 0; times < 2; times++) await tools.call('exec', { command: 'touch made' })
  expect(tools.questions).toHaveLength(1)
  await tools.call('exec', { command: 'touch other' })
  expect(tools.questions).toHaveLength(2)
  await tools.call('exec', { command: 'sh -c "touch third"' })
  await tools.call('exec', { command: 'sh -c "touch third"' })
  expect(tools.questions).toHaveLength(4)
  expect(tools.kept.map((entry) => entry.args)).toEqual([['made'], ['other']])
})

test('[NR172] a script in the workspace needs approval every time, under any name', async () => {
  const tools = await open({ answer: () => 'allow-always' })
  await mkdir(join(tools.workspace, 'bin'))
  for (const path of ['b.sh', 'bin/b.sh']) {
    await writeFile(join(tools.workspace, path), '#!/bin/sh\necho harmless\n', { mode: 0o755 })
  }
  await symlink(join(tools.workspace, 'b.sh'), join(tools.base, 'outer'))
  const outer = join(tools.base, 'outer')
  const commands = ['./b.sh', `${tools.workspace}/b.sh`, 'bin/b.sh', outer]
  for (const command of [...commands, ...commands]) {
    const { text } = await tools.call('exec', { command })
    // A confined command does not reach the link outside of the workspace.
    expect(text).toContain(command === outer ? 'not found' : 'harmless')
  }
  expect(tools.questions.map(({ mayAlwaysAllow }) => mayAlwaysAllow)).toEqual(commands.flatMap(() => [false, false]))
  expect(tools.kept).toEqual([])
  tools.kept.push(
    ...[join(tools.workspace, 'b.sh'), join(tools.base, 'outer')].map((pattern) => ({ pattern, args: [] })),
  )
  for (const command of commands) await tools.call('exec', { command })
  expect(tools.questions).toHaveLength(12)
})

test('[NR174] a file replaced by a link out of the workspace needs approval, even if it was always allowed', async () => {
  const tools = await open({ answer: () => 'allow-always' })
  const [secret, notes] = [join(tools.base, 'token'), join(tools.workspace, 'notes')]
  await writeFile(secret, 'the token')
  await writeFile(notes, 'my notes')
  await writeFile(join(tools.workspace, 'other'), '')
  await mkdir(join(tools.workspace, 'sub'))
  const asked = async (command: string, workdir = '.') => {
    const before = tools.questions.length
    await tools.call('exec', { command, workdir })
    return tools.questions.slice(before).map(({ mayAlwaysAllow }) => mayAlwaysAllow)
  }
  const commands = ['cat notes', 'grep -fnotes other', 'grep --file=notes other', 'touch sub/../notes']
  for (const command of commands) expect([command, await asked(command)]).toEqual([command, [true]])
  for (const command of commands) expect([command, await asked(command)]).toEqual([command, []])
  await rm(notes)
  await symlink(secret, notes)
  for (const command of commands) expect([command, await asked(command)]).toEqual([command, [false]])
  await rm(notes)
  await symlink(join(tools.base, 'not there yet'), notes)
  expect(await asked('touch notes')).toEqual([false])
  expect(await asked('cat ../notes', 'sub')).toEqual([false])
  await rm(notes)
  await writeFile(notes, '')
  expect(await asked('cat ../notes', 'sub')).toEqual([true])
  expect(await asked('cat ../notes', 'sub')).toEqual([])
  expect(await asked('cat ../notes')).toEqual([false])
})

test('[NR138] what the model claims about its own permissions is ignored', async () => {
  const tools = await open()
  for (const extra of [
    { security: 'full' },
    { ask: 'off' },
    { elevated: true },
    { host: 'gateway' },
    { security: 'full', ask: 'off' },
  ])
    expect(await tools.call('exec', { command: 'touch made', ...extra })).toMatchObject({ isError: true })
  expect(await readdir(tools.workspace)).toEqual([])
  const free = await open({ rules: FULL })
  expect(await free.call('exec', { command: 'touch made', ask: 'always' })).toMatchObject({ isError: true })
})

test('[NR154] a command that takes longer than yieldMs continues in the background', async () => {
  const tools = await open({ rules: FULL })
  const result = await tools.call('exec', {
    command: 'echo early; while [ ! -e go ]; do sleep 0.02; done; echo late',
    yieldMs: 10,
  })
  expect(result).toMatchObject({ isError: false, details: { status: 'running' } })
  expect(result.text).toMatch(/^Running in the background as session [0-9a-f]{8}: echo early/)
  await writeFile(join(tools.workspace, 'go'), '')
  const polled = await tools.call('process', { action: 'poll', sessionId: idOf(result), timeout: 60_000 })
  expect(polled.text).toMatch(/late\n\nState: Exit code 0\.$/)
})

test('[NR154] an unconfined command whose shell ended while a child still prints moves to the background at once', async () => {
  const tools = await open(UNCONFINED)
  const result = await tools.call('exec', { command: 'sleep 1000 & echo pid=$!', yieldMs: 120_000 })
  expect(result.details).toMatchObject({ status: 'running' })
  const pid = Number(/pid=(\d+)/.exec(result.text)![1])
  expect(isAlive(pid)).toBe(true)
  await tools.call('process', { action: 'kill', sessionId: idOf(result) })
  await until(() => !isAlive(pid))
})

test('[NR162] without the process tool exec waits for every command and leaves nothing running', async () => {
  const tools = await open({ ...UNCONFINED, backgroundAllowed: false })
  expect((await tools.call('exec', { command: 'sleep 0.3; echo done', yieldMs: 10, background: true })).text).toBe(
    'done',
  )
  const left = await tools.call('exec', { command: 'sleep 1000 & echo pid=$!', background: true })
  expect(isAlive(Number(/pid=(\d+)/.exec(left.text)![1]))).toBe(false)
  expect(tools.sessions.list()).toEqual([])
})

test('[NR153] the result shows how a command ended: its exit code, signal or timeout', async () => {
  const tools = await open({ rules: FULL })
  expect(await tools.call('exec', { command: 'echo out; echo err >&2; exit 3' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^(out\nerr|err\nout)\n\nExit code 3\.$/),
    details: { status: 'failed', exitCode: 3 },
  })
  const unconfined = await open(UNCONFINED)
  expect((await unconfined.call('exec', { command: 'kill -9 $$' })).text).toBe('Ended by SIGKILL.')
  expect((await tools.call('exec', { command: 'sleep 1000', timeout: 0.2 })).text).toBe(
    'Stopped: it ran longer than 0.2 seconds.',
  )
  expect((await tools.call('exec', { command: 'true' })).text).toBe('(no output)')
  expect((await tools.call('exec', { command: 'no-such-program-here' })).text).toContain('Exit code 127.')
})

test('[NR161] aborting the run stops a foreground command, and the call settles at once', async () => {
  const tools = await open(UNCONFINED)
  const stop = new AbortController()
  const running = tools.call(
    'exec',
    { command: 'echo $$ > pid; trap "" TERM; while :; do sleep 1; done', yieldMs: 120_000 },
    stop.signal,
  )
  const pid = () => Number(readFileSync(join(tools.workspace, 'pid'), 'utf8'))
  await until(async () => (await readdir(tools.workspace)).includes('pid') && pid() > 0)
  stop.abort()
  expect(await running).toMatchObject({ isError: true, details: { status: 'aborted' } })
  await tools.sessions.dispose(100)
  expect(isAlive(pid())).toBe(false)
})

test('[NR161] a background command outlives the run that started it', async () => {
  const tools = await open({ rules: FULL })
  const stop = new AbortController()
  const result = await tools.call('exec', { command: 'cat', background: true }, stop.signal)
  stop.abort()
  expect(await tools.call('exec', { command: 'touch x' }, stop.signal)).toMatchObject({ isError: true })
  expect((await tools.call('process', { action: 'submit', sessionId: idOf(result), data: 'still here' })).isError).toBe(
    false,
  )
  expect(await readdir(tools.workspace)).toEqual([])
})

test('[NR160] a background command can be listed, read, written to and stopped', async () => {
  const tools = await open({ rules: FULL })
  const act = (action: string, more: Readonly<Record<string, unknown>> = {}) =>
    tools.call('process', { action, sessionId: id, ...more })
  const id = idOf(
    await tools.call('exec', { command: 'while read -r line; do echo "got $line"; done; echo over', background: true }),
  )
  expect((await act('list')).text).toMatch(new RegExp(`^${id}  running  while read`))
  await act('write', { data: 'one\n' })
  await act('submit', { data: 'two' })
  await act('paste', { data: 'three' })
  await act('send-keys', { keys: ['x', 'Space', 'y', 'Enter'] })
  await until(() => tools.sessions.get(id)!.output.text().includes('threex y'))
  expect((await act('poll')).text).toBe('got one\ngot two\ngot threex y\n\nState: running')
  expect((await act('poll')).text).toBe('(no new output)\n\nState: running')
  expect((await act('clear')).text).toContain('is still running')
  await act('write', { data: '', eof: true })
  expect((await act('poll', { timeout: 60_000 })).text).toBe('over\n\nState: Exit code 0.')
  expect((await act('log', { offset: 2, limit: 1 })).text).toBe('got two\n\n[Lines 2-2 of 4.]')
  expect(await act('write', { data: 'x' })).toMatchObject({ isError: true, text: `Session ${id} has ended.` })
  expect((await act('clear')).text).toContain('forgotten')
  expect(await act('poll')).toMatchObject({ isError: true })
  expect((await tools.call('process', { action: 'list' })).text).toBe('No commands are running in the background.')
})

test('[NR160] log shows the last 200 lines by default', async () => {
  const tools = await open({ rules: FULL })
  const started = await tools.call('exec', {
    command: 'i=1; while [ $i -le 300 ]; do echo line $i; i=$((i+1)); done',
    background: true,
  })
  const id = idOf(started)
  await tools.sessions.get(id)!.ended
  const log = await tools.call('process', { action: 'log', sessionId: id })
  expect(log.text).toMatch(/^line 101\n[\s\S]*line 300\n\n\[Lines 101-300 of 300\.\]$/)
})

test('[NR160] C-c interrupts, C-d closes the input, and remove stops and forgets the command', async () => {
  const tools = await open({ rules: FULL })
  const start = async (command: string) => idOf(await tools.call('exec', { command, background: true }))
  const [first, second, third] = [
    await start('trap "echo bye; exit 5" INT; echo up; while :; do sleep 0.05; done'),
    await start('cat; echo end'),
    await start('sleep 1000'),
  ]
  await until(() => tools.sessions.get(first)!.output.text().includes('up'))
  await tools.call('process', { action: 'send-keys', sessionId: first, keys: ['C-c'] })
  expect((await tools.call('process', { action: 'poll', sessionId: first, timeout: 60_000 })).text).toContain(
    'bye\n\nState: Exit code 5.',
  )
  await tools.call('process', { action: 'send-keys', sessionId: second, keys: ['C-d'] })
  expect((await tools.call('process', { action: 'poll', sessionId: second, timeout: 60_000 })).text).toContain('end\n')
  const pid = tools.sessions.get(third)!.pid!
  await tools.call('process', { action: 'remove', sessionId: third })
  expect([isAlive(pid), tools.sessions.get(third)]).toEqual([false, null])
})

test('[NR160] a foreground command has an empty input, so it cannot wait for one', async () => {
  const tools = await open({ rules: FULL })
  expect((await tools.call('exec', { command: 'cat; echo done' })).text).toBe('done')
  const result = await tools.call('exec', { command: 'sleep 1000', yieldMs: 10 })
  expect((await tools.call('process', { action: 'write', sessionId: idOf(result), data: 'x' })).text).toContain(
    'accepts no input',
  )
})

test('[NR160] the commands of another agent cannot be reached', async () => {
  const [first, second] = [await open({ rules: FULL }), await open({ rules: FULL })]
  const id = idOf(await second.call('exec', { command: 'sleep 1000', background: true }))
  for (const action of ['poll', 'log', 'kill', 'write', 'remove'])
    expect(await first.call('process', { action, sessionId: id })).toMatchObject({
      isError: true,
      text: `There is no session "${id}".`,
    })
})

test('[NR163] a request for a terminal is refused with an explanation', async () => {
  const tools = await open({ rules: FULL })
  expect(await tools.call('exec', { command: 'touch made', pty: true })).toMatchObject({ isError: true })
  expect(await readdir(tools.workspace)).toEqual([])
})

test('[NR164] a call runs its command only once, even if it fails', async () => {
  const tools = await open({ rules: FULL })
  await tools.call('exec', { command: 'echo x >> count; exit 1' })
  await tools.call('exec', { command: 'echo x >> count; kill -9 $$' })
  const slow = await tools.call('exec', { command: 'echo x >> count; sleep 1000', yieldMs: 10 })
  await until(async () => (await readFile(join(tools.workspace, 'count'), 'utf8')).length >= 6)
  await tools.call('process', { action: 'kill', sessionId: idOf(slow) })
  expect(await readFile(join(tools.workspace, 'count'), 'utf8')).toBe('x\nx\nx\n')
})
