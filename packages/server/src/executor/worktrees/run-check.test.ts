import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFixture } from './test-project.ts'

async function open(limits = {}) {
  const fixture = await openFixture({ limits })
  mkdirSync(fixture.project)
  writeFileSync(join(fixture.project, 'a.txt'), 'one\n')
  return { ...fixture, workplace: await fixture.prepare() }
}

const isAlive = (pid: number) => {
  // A process that ended and was not waited for is still listed.
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return stat !== '' && !/\) Z /.test(stat)
}

test('[BO112] a check runs in the workplace, and its exit code is the evidence', async () => {
  const { worktrees, workplace, folder } = await open()
  const run = async (command: string) => {
    const result = await worktrees.runCheck(workplace, command)
    if (!result.ok) expect.fail(result.message)
    return result.check
  }
  expect(await run('cat a.txt; echo problem >&2; exit 3')).toMatchObject({
    end: 'exited',
    exitCode: 3,
    output: 'one\nproblem\n',
    omittedBytes: 0,
  })
  expect(await run('kill -9 $$')).toMatchObject({ end: 'killed', exitCode: null })
  expect((await run('pwd')).output.trim()).toBe(workplace.folder)
  expect(await worktrees.runCheck(workplace, ' ')).toMatchObject({ code: 'check_not_started' })
  const none = await worktrees.prepareWorkplace({ taskId: 'other', attempt: 1, project: null, ownFolder: folder })
  expect(none.ok && (await worktrees.runCheck(none.workplace, 'exit 0'))).toMatchObject({ check: { exitCode: 0 } })
})

test('[BO112] a check sees nothing of the server’s environment but what it is given', async () => {
  const { worktrees, workplace } = await open()
  process.env.CLAWBOO_TEST_SECRET = 'do not tell'
  const result = await worktrees.runCheck(workplace, 'env', { environment: { GIVEN: 'yes' } })
  delete process.env.CLAWBOO_TEST_SECRET
  expect(result).toMatchObject({ check: { output: expect.stringContaining('GIVEN=yes') } })
  expect(result).toMatchObject({ check: { output: expect.not.stringContaining('do not tell') } })
})

test('[BO112] output is kept at both ends', async () => {
  const { worktrees, workplace } = await open({ outputBytes: 100 })
  const result = await worktrees.runCheck(workplace, 'echo first; yes | head -c 100000; echo last')
  expect(result).toMatchObject({ check: { exitCode: 0, omittedBytes: 100011 - 200 } })
  if (result.ok) expect(result.check.output).toMatch(/^first\ny[\sy]*… 99811 bytes left out …[\sy]*last\n$/)
})

test('[BO113] a check that takes too long is ended with everything it started', async () => {
  const { worktrees, workplace } = await open()
  const command = 'sleep 600 & echo $! >pids; setsid sleep 600 & echo $! >>pids; (trap "" TERM; sleep 600) & wait'
  const result = await worktrees.runCheck(workplace, command, { timeLimitMs: 500 })
  expect(result).toMatchObject({ check: { end: 'timed-out', exitCode: null } })
  const pids = readFileSync(join(workplace.folder, 'pids'), 'utf8').trim().split('\n').map(Number)
  expect(pids).toHaveLength(2)
  expect(pids.filter(isAlive)).toEqual([])
})

test('[BO113] what a check leaves in the background does not outlive it and does not hold it up', async () => {
  const { worktrees, workplace } = await open()
  const result = await worktrees.runCheck(workplace, 'setsid sleep 600 & echo $! >pid; sleep 600 & exit 0')
  expect(result).toMatchObject({ check: { end: 'exited', exitCode: 0 } })
  expect(isAlive(Number(readFileSync(join(workplace.folder, 'pid'), 'utf8')))).toBe(false)
})

test('[BO113] a check can be aborted', async () => {
  const { worktrees, workplace } = await open()
  const stop = new AbortController()
  const running = worktrees.runCheck(workplace, 'touch begun; sleep 600', { signal: stop.signal })
  while (!existsSync(join(workplace.folder, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort()
  expect(await running).toMatchObject({ check: { end: 'aborted', exitCode: null } })
  expect(await worktrees.runCheck(workplace, 'sleep 600', { signal: stop.signal })).toMatchObject({
    check: { end: 'aborted' },
  })
})

test('[BO114] a check says which content it began and ended with', async () => {
  const { worktrees, workplace } = await open()
  const quiet = await worktrees.runCheck(workplace, 'true')
  const loud = await worktrees.runCheck(workplace, 'echo two >>a.txt')
  if (!quiet.ok || !loud.ok) expect.fail('a check was refused')
  expect(quiet.check.sha256After).toBe(quiet.check.sha256Before)
  expect(loud.check.sha256Before).toBe(quiet.check.sha256After)
  expect(loud.check.sha256After).not.toBe(loud.check.sha256Before)
})
