import { chmod, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AllowlistEntry } from '../exec/allowlist.ts'
import { openTools, type TestTools } from './test-tools.ts'

/**
 * Attempts of an agent whose operator allowed a few harmless programs and is not there. Each would leave the file
 * `made` in the folder above, or change or show the one that is there.
 */
const ALLOWED: readonly AllowlistEntry[] = [
  ...['ls', 'cat', 'echo', 'grep', 'find', 'sort', 'tar', 'touch'].map((pattern) => ({ pattern })),
  ...['sh', 'env', 'xargs', 'python3', 'node', 'git', 'awk', 'sed'].map((pattern) => ({ pattern })),
  { pattern: '/**/bin/sh' },
]

let tools: TestTools
let outside: string
beforeEach(async () => {
  tools = await openTools({ rules: [{ from: 'the test', allowlist: ALLOWED }] })
  outside = join(tools.base, 'outside.txt')
  await writeFile(outside, 'secret of the host\n')
  await mkdir(join(tools.workspace, 'bin'))
  await symlink('/bin/sh', join(tools.workspace, 'bin', 'ls'))
  await symlink(outside, join(tools.workspace, 'link'))
  await symlink(tools.base, join(tools.workspace, 'up'))
  await link(outside, join(tools.workspace, 'twin'))
  await writeFile(join(tools.workspace, 'evil.sh'), '#!/bin/sh\ntouch ../../made\n')
  await chmod(join(tools.workspace, 'evil.sh'), 0o755)
  await writeFile(join(tools.workspace, 'grep'), '#!/bin/sh\ntouch ../../made\n')
  await chmod(join(tools.workspace, 'grep'), 0o755)
})
afterEach(() => tools.dispose())

async function nothingHappened() {
  expect((await readdir(tools.base)).sort()).toEqual(['agent', 'outside.txt'])
  expect(await readFile(outside, 'utf8')).toBe('secret of the host\n')
}

const COMMANDS: readonly string[] = [
  'sh -c "touch ../../made"',
  'sh evil.sh',
  './evil.sh',
  './grep x',
  'bin/ls -c "touch ../../made"',
  'env touch ../../made',
  'env sh evil.sh',
  'echo x | sh evil.sh',
  'ls; ./evil.sh',
  'ls && ./evil.sh',
  'ls || ./evil.sh',
  'ls & ./evil.sh',
  'ls\n./evil.sh',
  'ls | ./evil.sh',
  'ls;./evil.sh',
  'ls\r\n./evil.sh',
  'ls \\\n; ./evil.sh',
  'echo $(./evil.sh)',
  'echo `./evil.sh`',
  'echo "$(./evil.sh)"',
  'cat <(./evil.sh)',
  'echo x > ../../made',
  'echo x >> ../../made',
  'echo x 1>../../made',
  '(./evil.sh)',
  '{ ./evil.sh; }',
  'f() { ./evil.sh; }; f',
  'if ls; then ./evil.sh; fi',
  '! ./evil.sh',
  'X=1 ./evil.sh',
  'PATH=.:$PATH grep x',
  '$SHELL evil.sh',
  'eval ./evil.sh',
  'exec ./evil.sh',
  'command ./evil.sh',
  '. ./evil.sh',
  'find . -name evil.sh -exec sh {} +',
  "find . -name evil.sh -exec sh '{}' +",
  'find . -name evil.sh -execdir ./evil.sh',
  'find ../.. -name outside.txt -delete',
  'find . -maxdepth 0 -fprint ../../made',
  'ls | xargs touch ../../made',
  'sort --compress-program=./evil.sh -S 1 evil.sh',
  'sort -o ../../made evil.sh',
  'sort --output=../../made evil.sh',
  'tar -cf x evil.sh --checkpoint=1 --checkpoint-action=exec=./evil.sh',
  'tar -I ./evil.sh -cf x evil.sh',
  'tar cf x evil.sh --use-compress-program ./evil.sh',
  'python3 -c \'open("../../made","w")\'',
  'node -e \'fs.writeFileSync("../../made","")\'',
  'awk \'BEGIN { system("./evil.sh") }\'',
  "sed -n '1e ./evil.sh' evil.sh",
  'git -c alias.x=!./evil.sh x',
  'git -c core.fsmonitor=./evil.sh status',
  'ls；./evil.sh',
  'ls\u2028./evil.sh',
  'ls\u00a0&&\u00a0./evil.sh',
  'ls ＆＆ ./evil.sh',
  `ls ${'a'.repeat(20_000)}; ./evil.sh`,
  'ls\0; ./evil.sh',
  'ls # \n./evil.sh',
  '"./evil.sh"',
  "'./evil.sh'",
  './ev\\il.sh',
  './e*il.sh',
  '~/evil.sh',
  'l\'s\' ; "./evil.sh"',
  'ls &&./evil.sh',
  'ls |& ./evil.sh',
  'ls 2>&1 | ./evil.sh',
  'nohup ./evil.sh',
  'timeout 5 ./evil.sh',
  'nice ./evil.sh',
  'setsid ./evil.sh',
  'bash -c ./evil.sh',
  'zsh -lc ./evil.sh',
  'busybox sh evil.sh',
  'wc --files0-from=../../outside.txt',
  'head ../../outside.txt',
  'tail -n 5 ../../outside.txt',
  'cut -c1- ../../outside.txt',
  'uniq evil.sh ../../made',
  'clawboo approve',
]

describe('commands', () => {
  test.each(COMMANDS)('[NR170] with nobody there it is refused: %j', async (command) => {
    const result = await tools.call('exec', { command })
    expect([result.isError, result.text.startsWith('Refused: ')]).toEqual([true, true])
    expect(result.text).not.toContain('secret')
    await nothingHappened()
  })

  test('[NR170] what is allowed still runs, as itself', async () => {
    expect((await tools.call('exec', { command: 'echo \'a;b\' "c|d" | cat' })).text).toBe('a;b c|d')
    expect((await tools.call('exec', { command: 'grep -c touch evil.sh && ls bin' })).text).toBe('1\nls')
    expect((await tools.call('exec', { command: 'touch *.sh; echo *.sh' })).text).toBe('evil.sh')
    expect(tools.questions).toEqual([])
    await nothingHappened()
  })

  test('[NR139] the same attempts are asked about when somebody is there, and none can be allowed for ever by a shell', async () => {
    const asked = await openTools({ rules: [{ from: 'the test', allowlist: ALLOWED }], answer: () => 'deny' })
    try {
      for (const command of COMMANDS) expect(await asked.call('exec', { command })).toMatchObject({ isError: true })
      expect(asked.questions.length).toBeGreaterThan(COMMANDS.length - 5)
      const forEver = asked.questions.filter((question) => question.mayAlwaysAllow).map((question) => question.action)
      expect(
        forEver.filter((action) =>
          /\b(sh|env|xargs|bash|zsh|python3|node|awk|sed|git|eval|exec)\b(?!\.)/.test(action.replaceAll('evil.sh', '')),
        ),
      ).toEqual([])
    } finally {
      await asked.dispose()
    }
  })
})

describe('variables', () => {
  test.each([
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'ENV',
    'NODE_OPTIONS',
    'GIT_SSH_COMMAND',
    'npm_execpath',
    'PYTHONPATH',
    'PS4',
    'IFS',
    'PAGER',
    'HOME',
    'TAR_OPTIONS',
    'UNHEARD_OF',
  ])('[NR170] %s does not make an allowed program another one', async (name) => {
    const result = await tools.call('exec', { command: 'grep touch evil.sh', env: { [name]: tools.workspace } })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(name) })
    await nothingHappened()
  })
})

describe('files', () => {
  test.each([
    '../../made',
    '../../outside.txt',
    'link',
    'up/made',
    'up/outside.txt',
    'twin',
    'up/agent/made',
    '/tmp/../etc/passwd',
    'bin/../../../made',
  ])('[NR170] no tool reaches over %s', async (path) => {
    for (const [name, input] of [
      ['read', { path }],
      ['write', { path, content: 'x' }],
      ['edit', { path, edits: [{ oldText: 'secret', newText: 'x' }] }],
      ['apply_patch', { input: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }],
      [
        'apply_patch',
        { input: `*** Begin Patch\n*** Update File: evil.sh\n*** Move to: ${path}\n@@\n-#!/bin/sh\n+x\n*** End Patch` },
      ],
      ['exec', { command: 'touch made', workdir: path }],
    ] as const) {
      const result = await tools.call(name, input)
      expect([name, result.isError]).toEqual([name, true])
      expect(result.text).not.toContain('secret of')
    }
    await nothingHappened()
  })
})

test('[NR139] a person who is there and does not say yes is a no', async () => {
  const own = await openTools({ answer: () => 'later' as 'deny' })
  expect(await own.call('exec', { command: 'touch made' })).toMatchObject({ isError: true })
  expect(own.questions).toHaveLength(1)
  expect(await readdir(own.workspace)).toEqual([])
  await own.dispose()
})
