import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OPERATIONS, type Operation, type OperationId } from '@clawboo/api'
import { expect, test } from 'vitest'
import {
  commitAll,
  git,
  makeFolder,
  makeRepository,
} from '../../packages/server/src/executor/worktrees/test-project.ts'
import { createSqliteDatabase } from '../../packages/server/src/store/test-stores.ts'
import { claimTask, makeTeam, useBoardServer } from './board-server.ts'

const server = useBoardServer({ engine: 'sqlite', createDatabase: createSqliteDatabase })
const api = () => server().client

/** Creates a team with a project of one committed file, and a task with one attempt that changed files. */
async function makeReview(options: { check?: string; plain?: boolean } = {}) {
  const { teamId, agentId } = await makeTeam(server())
  const folder = join(makeFolder(), 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'one\n')
  if (!options.plain) {
    makeRepository(folder)
    commitAll(folder)
  }
  await api().setTeamProject({ params: { teamId }, body: { folder, checkCommand: options.check ?? null } })
  const assignee = { kind: 'agent', id: agentId } as const
  const task = await api().createTask({
    params: { teamId },
    body: { title: 'Change a', assignee, changesFiles: true },
  })
  const params = { taskId: task.id, teamId }
  /** `place` is the number of the attempt whose worktree it reuses. */
  const work = async (change: string | null, place?: number) => {
    const attempt = await claimTask(server(), task.id, agentId)
    const prepared = await server().worktrees.prepareWorktree({
      taskId: task.id,
      attempt: place ?? attempt.number,
      project: folder,
      ownFolder: folder,
    })
    if (!prepared.ok || prepared.worktree.kind === 'none') throw new Error('no worktree')
    const { worktree } = prepared
    const branch = worktree.kind === 'worktree' ? worktree.branch : null
    await server().claims.note(attempt.id, { worktree: { path: worktree.folder, branch, base: worktree.base } })
    if (change !== null) await writeFile(join(worktree.folder, 'a.txt'), change)
    const end = () =>
      server().reports.submit({
        attemptId: attempt.id,
        attempt: attempt.number,
        outcome: 'completed',
        reason: null,
        costUsd: null,
        at: Date.now(),
      })
    return { attempt, worktree, end }
  }
  return { params, folder, work, status: async () => (await api().getTask({ params })).task.status }
}

test('[BO136] the diff shows the newest attempt; there is none without a worktree or while an agent works in it', async () => {
  const { params, work } = await makeReview()
  expect(await api().readTaskDiff({ params })).toEqual({ worktree: null, diff: null })
  const first = await work('one\ntwo\n')
  expect(await api().readTaskDiff({ params })).toMatchObject({ worktree: { attempt: 1 }, diff: null })
  await first.end()
  const { worktree, diff } = await api().readTaskDiff({ params })
  expect(worktree).toEqual({ attempt: 1, folder: first.worktree.folder, branch: `clawboo/${params.taskId}/1` })
  expect(diff).toMatchObject({ fileCount: 1, files: [{ path: 'a.txt', change: 'changed' }] })
  expect(diff!.files[0]!.hunks[0]!.lines.at(-1)).toEqual({ kind: 'added', text: 'two' })
  await api().commentTask({ params, body: { body: 'Not two', file: 'a.txt', line: 2 } })
  await api().moveTask({ params, body: { to: 'todo' } })
  await (await work('one\nthree\n')).end()
  const again = await api().readTaskDiff({ params })
  expect([again.worktree!.attempt, again.diff!.files[0]!.hunks[0]!.lines.at(-1)!.text]).toEqual([2, 'three'])
  await rm(again.worktree!.folder, { recursive: true })
  expect(await api().readTaskDiff({ params })).toEqual({ worktree: null, diff: null })
})

test('[BO136] an attempt that continues in another’s worktree is reviewed there', async () => {
  const { params, work } = await makeReview({ check: 'true' })
  const first = await work('one\ntwo\n')
  await first.end()
  await api().moveTask({ params, body: { to: 'todo' } })
  const second = await work('one\nthree\n', 1)
  expect(second.worktree.folder).toBe(first.worktree.folder)
  expect(await api().readTaskDiff({ params })).toMatchObject({ worktree: { attempt: 2 }, diff: null })
  expect(await api().cleanUpTask({ params })).toEqual({ worktrees: [] })
  await second.end()
  const { worktree, diff } = await api().readTaskDiff({ params })
  expect([worktree!.attempt, diff!.files[0]!.hunks[0]!.lines.at(-1)!.text]).toEqual([2, 'three'])
  expect(await api().checkTask({ params })).toMatchObject({ exitCode: 0 })
  expect(await api().mergeTask({ params })).toMatchObject({ how: 'fast-forward' })
  expect(await api().cleanUpTask({ params })).toMatchObject({ worktrees: [{ attempt: 1, outcome: 'removed' }] })
  expect(await api().readTaskDiff({ params })).toEqual({ worktree: null, diff: null })
})

test('[BO137] a merge brings in the work, reports it and does not move the task', async () => {
  const { params, work, folder, status } = await makeReview()
  await (await work('one\ntwo\n')).end()
  const merged = await api().mergeTask({ params })
  expect(merged).toEqual({ how: 'fast-forward', commit: git(folder, 'rev-parse', 'main'), files: ['a.txt'] })
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  expect(git(folder, 'log', '-1', '--format=%an <%ae> %s')).toBe('Operator <operator@localhost> Change a')
  expect(await status()).toBe('in_review')
  const { comments, lack } = await api().getTask({ params })
  expect(comments).toMatchObject([{ author: { kind: 'host' } }])
  expect(comments[0]!.body).toContain('Operator merged the work of attempt 1')
  expect(lack).toMatchObject({ code: 'evidence_missing' })
  expect(await api().mergeTask({ params })).toMatchObject({ how: 'nothing' })
  expect((await api().getTask({ params })).comments).toHaveLength(1)
})

test('[BO137] a merge that the project refuses reports the reason and changes nothing', async () => {
  const { params, work, folder } = await makeReview()
  await (await work('one\ntwo\n')).end()
  await writeFile(join(folder, 'a.txt'), 'mine\n')
  await expect(api().mergeTask({ params })).rejects.toMatchObject({
    status: 409,
    code: 'worktree_refused',
    details: { reason: 'project_changed' },
  })
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('mine\n')
  commitAll(folder)
  await expect(api().mergeTask({ params })).rejects.toMatchObject({
    code: 'worktree_refused',
    details: { reason: 'conflicts', files: ['a.txt'] },
  })
  expect((await api().getTask({ params })).comments).toEqual([])
})

test('[BO137] applies work in a copy of a plain folder to that folder', async () => {
  const { params, work, folder } = await makeReview({ plain: true })
  await (await work('one\ntwo\n')).end()
  expect((await api().readTaskDiff({ params })).worktree).toMatchObject({ branch: null })
  expect(await api().mergeTask({ params })).toEqual({ how: 'applied', commit: null, files: ['a.txt'] })
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
})

test('[BO138] a repeated check is evidence: a pass closes the task, a failure keeps it open', async () => {
  const { params, work } = await makeReview({ check: 'grep -q two a.txt && echo fine' })
  const { end, worktree } = await work('one\n')
  await end()
  const failed = await api().checkTask({ params })
  expect(failed).toMatchObject({ exitCode: 1, end: 'exited', evidence: { kind: 'check', exitCode: 1 } })
  await expect(api().moveTask({ params, body: { to: 'done' } })).rejects.toMatchObject({ code: 'check_failed' })
  await writeFile(join(worktree.folder, 'a.txt'), 'one\ntwo\n')
  const passed = await api().checkTask({ params })
  expect(passed).toMatchObject({ exitCode: 0, output: 'fine\n', evidence: { at: passed.startedAt } })
  expect(await api().moveTask({ params, body: { to: 'done' } })).toMatchObject({ task: { status: 'done' } })
})

test('[BO138] a check that changes the files it checks is not evidence for the result', async () => {
  const { params, work } = await makeReview({ check: 'echo more >> a.txt' })
  await (await work('one\ntwo\n')).end()
  expect(await api().checkTask({ params })).toMatchObject({ exitCode: 0 })
  await expect(api().moveTask({ params, body: { to: 'done' } })).rejects.toMatchObject({ code: 'evidence_stale' })
})

test('[BO138] refuses a check without a command, and for an attempt that was taken back', async () => {
  const { params, work } = await makeReview()
  await work('one\ntwo\n')
  await api().takeBackTask({ params })
  await expect(api().checkTask({ params })).rejects.toMatchObject({ code: 'evidence_refused' })
  await api().moveTask({ params, body: { to: 'todo' } })
  await (await work('one\ntwo\n')).end()
  await expect(api().checkTask({ params })).rejects.toMatchObject({
    code: 'worktree_refused',
    details: { reason: 'no_check' },
  })
})

test('[BO135] an unrecorded change makes the earlier check stale', async () => {
  const { params, work } = await makeReview({ check: 'true' })
  const { end, worktree } = await work('one\ntwo\n')
  await end()
  await api().checkTask({ params })
  expect((await api().getTask({ params })).lack).toBeNull()
  await writeFile(join(worktree.folder, 'b.txt'), 'left behind\n')
  await expect(api().moveTask({ params, body: { to: 'done' } })).rejects.toMatchObject({ code: 'evidence_stale' })
  await api().checkTask({ params })
  await writeFile(join(worktree.folder, 'b.txt'), 'and changed\n')
  await api().mergeTask({ params })
  expect((await api().getTask({ params })).lack).toMatchObject({ code: 'evidence_stale' })
  expect(await api().signOffTask({ params })).toMatchObject({ task: { status: 'done' } })
})

test('[BO139] a clean-up removes merged worktrees, keeps the others and skips active ones', async () => {
  const { params, work } = await makeReview()
  const first = await work('one\nlost?\n')
  await first.end()
  await api().moveTask({ params, body: { to: 'todo' } })
  const second = await work('one\ntwo\n')
  await second.end()
  await api().mergeTask({ params })
  await api().moveTask({ params, body: { to: 'todo' } })
  const third = await work(null)
  const { worktrees } = await api().cleanUpTask({ params })
  expect(worktrees).toMatchObject([
    { attempt: 1, outcome: 'parked', folder: first.worktree.folder },
    { attempt: 2, outcome: 'removed', folder: null, because: null },
  ])
  expect([first, second, third].map(({ worktree }) => existsSync(worktree.folder))).toEqual([true, false, true])
  expect(await readFile(join(first.worktree.folder, 'a.txt'), 'utf8')).toBe('one\nlost?\n')
  await third.end()
  expect((await api().readTaskDiff({ params })).worktree).toMatchObject({ attempt: 3 })
  await api().cleanUpTask({ params })
  expect((await api().readTaskDiff({ params })).worktree).toMatchObject({ attempt: 1 })
})

test('[BO140] refuses a second merge, check or clean-up at the same time', async () => {
  const { params, work } = await makeReview({ check: 'while [ ! -e go ]; do sleep 0.05; done' })
  const { end, worktree } = await work('one\ntwo\n')
  await end()
  const checking = api().checkTask({ params })
  const others = () =>
    Promise.allSettled([
      api().checkTask({ params }),
      api().mergeTask({ params }),
      api().cleanUpTask({ params }),
      api().readTaskDiff({ params }),
    ])
  await expect.poll(async () => (await others()).map(codeOf)).toEqual(Array(4).fill('task_conflict'))
  await writeFile(join(worktree.folder, 'go'), '')
  expect(await checking).toMatchObject({ exitCode: 0 })
  expect((await api().readTaskDiff({ params })).diff).not.toBeNull()
})

test('[AP12] responses about a worktree match the operation’s own schema, strictly', async () => {
  const { params, work } = await makeReview({ check: 'true' })
  await (await work('one\ntwo')).end()
  const answers: Partial<Record<OperationId, unknown>> = {
    readTaskDiff: await api().readTaskDiff({ params }),
    checkTask: await api().checkTask({ params }),
    getTask: await api().getTask({ params }),
    mergeTask: await api().mergeTask({ params }),
    cleanUpTask: await api().cleanUpTask({ params }),
    getTeamProject: await api().getTeamProject({ params }),
  }
  for (const [id, answer] of Object.entries(answers)) {
    const schema = (OPERATIONS[id as OperationId] as Operation).response!
    expect({ id, result: schema.safeParse(answer) }).toMatchObject({ id, result: { success: true, data: answer } })
  }
})

function codeOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === 'rejected' ? (outcome.reason as { code?: string }).code : 'fulfilled'
}
