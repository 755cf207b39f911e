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

test.each(ESCAPING_COMMANDS)('[NR492] in a given folder, with nobody there, it is refused: %j', (command) =>
  expectRefused(tools, command),
)

test.each(ESCAPING_PATHS)('[NR492] in a given folder no tool reaches over %s', (path) => expectOutOfReach(tools, path))

test('[NR492] what is allowed runs in the given folder', async () => {
  expect((await tools.call('exec', { command: 'grep -c touch evil.sh && ls bin' })).text).toBe('1\nls')
  expect((await tools.call('exec', { command: 'touch *.sh; echo *.sh' })).text).toBe('evil.sh')
  await expectNothingHappened(tools)
})

test('[NR491] the agent’s own workspace is read by whole paths, and no tool changes it', async () => {
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

test('[NR491] a link or a second hard link in the agent’s own workspace leads nowhere', async () => {
  const outside = join(tools.base, 'outside.txt')
  await symlink(outside, join(tools.ownWorkspace, 'link.txt'))
  await symlink(tools.base, join(tools.ownWorkspace, 'up'))
  await link(outside, join(tools.ownWorkspace, 'twin.txt'))
  for (const name of ['link.txt', 'up/outside.txt', 'twin.txt', '../../outside.txt']) {
    const result = await tools.call('read', { path: `${tools.ownWorkspace}/${name}` })
    expect([name, result.isError, result.text]).toEqual([name, true, expect.stringContaining('refused')])
  }
})

test('[NR495] a folder that is taken away is not made anew by any tool', async () => {
  await rename(tools.workspace, `${tools.workspace}-kept`)
  for (const [name, input] of [
    ['write', { path: 'new.txt', content: 'x' }],
    ['write', { path: 'deep/new.txt', content: 'x' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch' }],
    ['exec', { command: 'ls' }],
  ] as const)
    expect([name, (await tools.call(name, input)).isError]).toEqual([name, true])
  expect((await tools.call('write', { path: 'new.txt', content: 'x' })).text).toContain('it is not there')
  expect((await readdir(join(tools.base, 'agent'))).sort()).toEqual(['work-kept', 'workspace'])
})

test('[NR490] with the containment lifted relative paths start in the given folder', async () => {
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
