import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  ESCAPING_COMMANDS,
  ESCAPING_PATHS,
  expectNothingHappened,
  expectOutOfReach,
  expectRefused,
  openTrappedTools,
} from './test-escapes.ts'
import { FULL, openTools, type TestTools } from './test-tools.ts'

let tools: TestTools
beforeEach(async () => {
  tools = await openTrappedTools({ inFolder: true })
})
afterEach(() => tools.dispose())

test.each(ESCAPING_COMMANDS)(
  '[NR492] in the folder of a run, without an approver, the command is refused: %j',
  (command) => expectRefused(tools, command),
)

test.each(ESCAPING_PATHS)('[NR492] in the folder of a run no tool can escape through %s', (path) =>
  expectOutOfReach(tools, path),
)

test('[NR492] an allowed command runs in the folder of the run', async () => {
  expect((await tools.call('exec', { command: 'grep -c touch evil.sh && ls bin' })).text).toBe('1\nls')
  expect((await tools.call('exec', { command: 'touch *.sh; echo *.sh' })).text).toBe('evil.sh')
  await expectNothingHappened(tools)
})

test('[NR491] the agent’s own workspace can be read by absolute paths, and no tool can change it', async () => {
  const note = join(tools.ownWorkspace, 'note.txt')
  await writeFile(note, 'remember the moss\n')
  expect((await tools.call('read', { path: note })).text).toBe('remember the moss\n')
  expect((await tools.call('read', { path: 'note.txt' })).isError).toBe(true)
  expect((await tools.call('read', { path: '../workspace/note.txt' })).isError).toBe(true)
  for (const [name, input] of [
    ['write', { path: note, content: 'x' }],
    ['write', { path: join(tools.ownWorkspace, 'new.txt'), content: 'x' }],
    ['edit', { path: note, edits: [{ oldText: 'moss', newText: 'fern' }] }],
    ['apply_patch', { input: `*** Begin Patch\n*** Delete File: ${note}\n*** End Patch` }],
    ['exec', { command: 'ls', workdir: tools.ownWorkspace }],
  ] as const)
    expect([name, (await tools.call(name, input)).text]).toEqual([
      name,
      expect.stringContaining('outside the workspace'),
    ])
  expect(await readdir(tools.ownWorkspace)).toEqual(['note.txt'])
  expect(await readFile(note, 'utf8')).toBe('remember the moss\n')
})

test('[NR491] a symbolic or second hard link in the agent’s own workspace is refused', async () => {
  const outside = join(tools.base, 'outside.txt')
  await symlink(outside, join(tools.ownWorkspace, 'link.txt'))
  await symlink(tools.base, join(tools.ownWorkspace, 'up'))
  await link(outside, join(tools.ownWorkspace, 'twin.txt'))
  for (const name of ['link.txt', 'up/outside.txt', 'twin.txt', '../../outside.txt']) {
    const result = await tools.call('read', { path: `${tools.ownWorkspace}/${name}` })
    expect([name, result.isError, result.text]).toEqual([name, true, expect.stringContaining('refused')])
  }
})

test('[NR495] no tool recreates a folder that was removed', async () => {
  await rename(tools.workspace, `${tools.workspace}-kept`)
  for (const [name, input] of [
    ['write', { path: 'new.txt', content: 'x' }],
    ['write', { path: 'deep/new.txt', content: 'x' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch' }],
    ['exec', { command: 'ls' }],
  ] as const)
    expect([name, (await tools.call(name, input)).isError]).toEqual([name, true])
  expect((await tools.call('write', { path: 'new.txt', content: 'x' })).text).toContain('is refused')
  expect((await readdir(join(tools.base, 'agent'))).sort()).toEqual(['work-kept', 'workspace'])
})

test('[NR490] without the workspace restriction relative paths are resolved in the folder of the run', async () => {
  const free = await openTools({ inFolder: true, workspaceOnly: false, rules: FULL })
  try {
    await free.call('write', { path: 'here.txt', content: 'x' })
    await mkdir(join(free.workspace, 'sub'))
    await free.call('exec', { command: 'echo y > there.txt', workdir: 'sub' })
    expect((await readdir(free.workspace, { recursive: true })).sort()).toEqual(['here.txt', 'sub', 'sub/there.txt'])
    expect(await readdir(free.ownWorkspace)).toEqual([])
  } finally {
    await free.dispose()
  }
})
