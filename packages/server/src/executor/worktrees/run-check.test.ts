import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listProcesses } from '../../processes/test-processes.ts'
import { openFixture } from './test-project.ts'

async function open(limits = {}) {
  const fixture = await openFixture({ limits })
  mkdirSync(fixture.project)
  writeFileSync(join(fixture.project, 'a.txt'), 'one\n')
  return { ...fixture, worktree: await fixture.prepare() }
}

test('[BO112] a check runs in the worktree, and its exit code is the evidence', async () => {
  const { worktrees, worktree, folder } = await open()
  const run = async (command: string) => {
    const result = await worktrees.runCheck(worktree, command)
    if (!result.ok) expect.fail(result.message)
    return result.check
  }
  expect(await run('cat a.txt; echo problem >&2; exit 3')).toMatchObject({
    end: 'exited',
    exitCode: 3,
    output: 'one\nproblem\n',
    omittedBytes: 0,
  })
  // The confiner reports a signal as 128 and its number, as a shell does.
  expect(await run('kill -9 $$')).toMatchObject({ end: 'exited', exitCode: 137 })
  expect((await run('pwd')).output.trim()).toBe(worktree.folder)
  expect(await worktrees.runCheck(worktree, ' ')).toMatchObject({ code: 'check_not_started' })
  const none = await worktrees.prepareWorktree({ taskId: 'other', attempt: 1, project: null, ownFolder: folder })
  expect(none.ok && (await worktrees.runCheck(none.worktree, 'exit 0'))).toMatchObject({ check: { exitCode: 0 } })
})

test('[BO112] a check sees no variable of the server’s environment', async () => {
  const { worktrees, worktree } = await open()
  process.env.CLAWBOO_TEST_SECRET = 'do not tell'
  const result = await worktrees.runCheck(worktree, 'env')
  delete process.env.CLAWBOO_TEST_SECRET
  expect(result).toMatchObject({ check: { output: expect.stringContaining('CI=1') } })
  expect(result).toMatchObject({ check: { output: expect.not.stringContaining('do not tell') } })
})

test('[BO112] both ends of the output are kept', async () => {
  const { worktrees, worktree } = await open({ outputBytes: 100 })
  const result = await worktrees.runCheck(worktree, 'echo first; yes | head -c 100000; echo last')
  expect(result).toMatchObject({ check: { exitCode: 0, omittedBytes: 100011 - 200 } })
  if (result.ok) expect(result.check.output).toMatch(/^first\ny[\sy]*… 99811 bytes left out …[\sy]*last\n$/)
})

test('[BO113] a check that takes too long is ended with everything that it started', async () => {
  const { worktrees, worktree } = await open({ checkMs: 500 })
  const command = 'sleep 60017 & setsid sleep 60017 & (trap "" TERM; sleep 60017) & echo >started; wait'
  const result = await worktrees.runCheck(worktree, command)
  expect(result).toMatchObject({ check: { end: 'timed-out', exitCode: null } })
  expect(existsSync(join(worktree.folder, 'started'))).toBe(true)
  expect((await listProcesses('args=')).filter((line) => line.includes('sleep 60017'))).toEqual([])
})

test('[BO113] processes in the background end with the check and do not delay it', async () => {
  const { worktrees, worktree } = await open()
  const result = await worktrees.runCheck(worktree, 'setsid sleep 60018 & sleep 60018 & exit 0')
  expect(result).toMatchObject({ check: { end: 'exited', exitCode: 0 } })
  expect((await listProcesses('args=')).filter((line) => line.includes('sleep 60018'))).toEqual([])
})

test('[BO113] a check can be aborted', async () => {
  const { worktrees, worktree } = await open()
  const stop = new AbortController()
  const running = worktrees.runCheck(worktree, 'touch begun; sleep 600', { signal: stop.signal })
  while (!existsSync(join(worktree.folder, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort()
  expect(await running).toMatchObject({ check: { end: 'aborted', exitCode: null } })
  expect(await worktrees.runCheck(worktree, 'sleep 600', { signal: stop.signal })).toMatchObject({
    check: { end: 'aborted' },
  })
})

test('[BO114] a check has the hash of the content before and after it', async () => {
  const { worktrees, worktree } = await open()
  const quiet = await worktrees.runCheck(worktree, 'true')
  const loud = await worktrees.runCheck(worktree, 'echo two >>a.txt')
  if (!quiet.ok || !loud.ok) expect.fail('a check was refused')
  expect(quiet.check.sha256After).toBe(quiet.check.sha256Before)
  expect(loud.check.sha256Before).toBe(quiet.check.sha256After)
  expect(loud.check.sha256After).not.toBe(loud.check.sha256Before)
})
