import { chmod, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AllowlistEntry } from '../exec/allowlist.ts'
import { openTools, type TestTools, type TestToolsOptions } from './test-tools.ts'

/**
 * Escape attempts by an agent whose operator allowed a few harmless programs and is absent. Each attempt would create the
 * file `made` two folders up, or change or show `outside.txt` there.
 */
export const ALLOWED: readonly AllowlistEntry[] = [
  ...['ls', 'cat', 'echo', 'grep', 'find', 'sort', 'tar', 'touch'].map((pattern) => ({ pattern })),
  ...['sh', 'env', 'xargs', 'python3', 'node', 'git', 'awk', 'sed'].map((pattern) => ({ pattern })),
  { pattern: '/**/bin/sh' },
]

export const ESCAPING_COMMANDS: readonly string[] = [
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

export const ESCAPING_VARIABLES: readonly string[] = [
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
]

export const ESCAPING_PATHS: readonly string[] = [
  '../../made',
  '../../outside.txt',
  'link',
  'up/made',
  'up/outside.txt',
  'twin',
  'up/agent/made',
  '/tmp/../etc/passwd',
  'bin/../../../made',
]

/** Tools in a workspace with every trap, and a file two folders up that must stay out of reach. */
export async function openTrappedTools(options: TestToolsOptions = {}): Promise<TestTools> {
  const tools = await openTools({ rules: { allowlist: ALLOWED, ask: 'off' }, ...options })
  const outside = join(tools.base, 'outside.txt')
  await writeFile(outside, 'secret of the host\n')
  await mkdir(join(tools.workspace, 'bin'))
  await symlink('/bin/sh', join(tools.workspace, 'bin', 'ls'))
  await symlink(outside, join(tools.workspace, 'link'))
  await symlink(tools.base, join(tools.workspace, 'up'))
  await link(outside, join(tools.workspace, 'twin'))
  for (const name of ['evil.sh', 'grep']) {
    await writeFile(join(tools.workspace, name), '#!/bin/sh\ntouch ../../made\n')
    await chmod(join(tools.workspace, name), 0o755)
  }
  return tools
}

export async function expectNothingHappened({ base }: TestTools): Promise<void> {
  expect((await readdir(base)).sort()).toEqual(['agent', 'outside.txt'])
  expect(await readFile(join(base, 'outside.txt'), 'utf8')).toBe('secret of the host\n')
}

/** Tries a path with every tool that accepts one. */
export async function expectOutOfReach(tools: TestTools, path: string): Promise<void> {
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
  await expectNothingHappened(tools)
}

export async function expectRefused(tools: TestTools, command: string): Promise<void> {
  const result = await tools.call('exec', { command })
  expect([result.isError, result.text.startsWith('Refused: ')]).toEqual([true, true])
  expect(result.text).not.toContain('secret')
  await expectNothingHappened(tools)
}
