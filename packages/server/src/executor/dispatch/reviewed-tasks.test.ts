import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartOptions } from '@clawboo/core/executor'
import { describe, expect, it } from 'vitest'
import { testProcesses } from '../../processes/test-processes.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { createTaskReviews } from '../reviews/task-reviews.ts'
import { createWorktreeLocks } from '../reviews/worktree-locks.ts'
import { useRecords } from '../test-records.ts'
import { commitAll, git, makeRepository } from '../worktrees/test-project.ts'
import { openWorktrees } from '../worktrees/worktrees.ts'
import { makeTeam, makeTestFolder, OPERATOR, type ServerOptions, startServer, testRuntime } from './test-dispatch.ts'

const CHANGES = { changesFiles: true } as const
const HELD = [{ callTool: 'held' }, { say: 'Now it is done.' }] as const
const CONFLICT = { code: 'task_conflict' }
/** A check that runs until the file `go` exists beside the work, for two minutes at most. */
const PATIENT = 'touch begun; n=0; while [ ! -e go ] && [ $n -lt 3000 ]; do sleep 0.02; n=$((n+1)); done'

describe('Tasks in review', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  /** A server with reviews, and a runtime that changes a file in each attempt. */
  const open = async (overrides: Pick<ServerOptions, 'onStep'> = {}, isSlow = false) => {
    const folder = await makeTestFolder()
    const project = makeRepository(join(folder, 'project'))
    writeFileSync(join(project, 'moss.txt'), 'brown\n')
    commitAll(project)
    const team = await makeTeam(records()[0]!)
    await store().teams.setProject(team.teamId, { folder: project, checkCommand: null }, 1)
    const plain = testRuntime(undefined, ({ folder: worktree }: StartOptions) => {
      if (worktree) writeFileSync(join(worktree, 'moss.txt'), 'green\n')
    })
    const mayEnd = Promise.withResolvers<void>()
    const abort: typeof plain.adapter.abort = async (run) => {
      await mayEnd.promise
      await plain.adapter.abort(run)
    }
    const runtime = isSlow ? { ...plain, adapter: { ...plain.adapter, abort } } : plain
    const worktreeRoot = join(folder, 'worktrees')
    const locks = createWorktreeLocks()
    const server = await startServer(records()[0]!, {
      runtimesOf: [runtime],
      worktreeRoot,
      locks,
      pollMs: 60_000,
      ...overrides,
    })
    const reviews = createTaskReviews(server.services)
    return { team, project, runtime, server, reviews, locks, worktreeRoot, mayEnd: () => mayEnd.resolve() }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  const reviewed = async ({ team, server }: Opened) => {
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    return { id, folder: (await team.attempts(id))[0]!.worktree!.path }
  }
  const setCheck = (team: Opened['team'], project: string, checkCommand: string) =>
    store().teams.setProject(team.teamId, { folder: project, checkCommand }, 1)

  it('[DI7] a task waits while its work is checked, with that reason, and starts afterwards', async () => {
    const opened = await open()
    const { team, project, server, reviews, runtime } = opened
    const { id, folder } = await reviewed(opened)
    await setCheck(team, project, PATIENT)
    const checking = reviews.check(id)
    await team.when(() => existsSync(join(folder, 'begun')))
    await server.tasks.move(id, { to: 'todo' }, OPERATOR)
    for (let n = 0; n < 5; n++) {
      server.dispatcher.poke()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await server.dispatcher.queue(team.teamId)).toEqual([
      {
        taskId: id,
        code: 'waits_for_person',
        reason: 'waits while its work is viewed, merged, checked or cleaned up',
      },
    ])
    expect(runtime.started).toHaveLength(1)
    await setCheck(team, project, 'true')
    writeFileSync(join(folder, 'go'), '')
    expect(await checking).toMatchObject({ exitCode: 0 })
    await team.when(() => runtime.started.length === 2)
    await team.until(id, 'in_review')
  })

  it('[BO143] a review during the claim of a task is refused, whatever the board shows', async () => {
    const tries: Promise<unknown>[] = []
    let begin = () => {}
    const opened = await open({ onStep: (step) => void (step === 'claim' && begin()) })
    const { team, server, reviews, runtime, project } = opened
    const { id } = await reviewed(opened)
    begin = () => {
      const { merge, check, cleanUp, diff } = reviews
      for (const review of [merge(id, OPERATOR), check(id), cleanUp(id), diff(id)])
        tries.push(review.catch((error: unknown) => error))
    }
    await server.tasks.move(id, { to: 'todo' }, OPERATOR)
    await team.when(() => runtime.started.length === 2)
    const [diff, ...refused] = (await Promise.all(tries)).reverse()
    expect(refused).toMatchObject([CONFLICT, CONFLICT, CONFLICT])
    expect(diff).toMatchObject({ worktree: { attempt: 1 }, diff: null })
    expect(readFileSync(join(project, 'moss.txt'), 'utf8')).toBe('brown\n')
    await team.until(id, 'in_review')
    begin = () => {}
    expect(await reviews.merge(id, OPERATOR)).toMatchObject({ how: 'fast-forward' })
  })

  it('[BO143] the files stay locked while an attempt that was taken back is still ending', async () => {
    const opened = await open({}, true)
    const { team, server, reviews, runtime, mayEnd } = opened
    const { id } = await team.make(server, [...HELD], CHANGES)
    await team.when(() => runtime.started.length === 1)
    expect(await reviews.cleanUp(id)).toEqual([])
    await server.tasks.move(id, { to: 'cancelled' }, OPERATOR)
    expect((await team.attempts(id))[0]).toMatchObject({ state: 'lost' })
    await expect(reviews.merge(id, OPERATOR)).rejects.toMatchObject(CONFLICT)
    await expect(reviews.cleanUp(id)).rejects.toMatchObject(CONFLICT)
    expect(await reviews.diff(id)).toMatchObject({ worktree: { attempt: 1 }, diff: null })
    mayEnd()
    await expect.poll(() => reviews.merge(id, OPERATOR).catch(() => null)).toMatchObject({ how: 'fast-forward' })
  })

  it('[DI31] a worktree that is reviewed while the server starts is not cleaned up', async () => {
    const opened = await open()
    const [inReview, cleaned] = [await reviewed(opened), await reviewed(opened)]
    for (const { id } of [inReview, cleaned]) {
      await opened.reviews.merge(id, OPERATOR)
      await opened.server.tasks.override(id, 'It is merged.', OPERATOR)
    }
    await opened.server.close()
    const locks = createWorktreeLocks()
    const reviewEnds = Promise.withResolvers<void>()
    const review = locks.alone(inReview.id, () => reviewEnds.promise)
    await startServer(records()[0]!, { worktreeRoot: opened.worktreeRoot, locks })
    await opened.team.when(() => !existsSync(cleaned.folder) && !locks.isReviewed(cleaned.id))
    expect(existsSync(inReview.folder)).toBe(true)
    reviewEnds.resolve()
    await review
  })

  it('[BO145] the work of many tasks is merged into one project at the same time', async () => {
    const opened = await open()
    const { project, reviews } = opened
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const { id, folder } = await reviewed(opened)
      writeFileSync(join(folder, 'moss.txt'), 'brown\n')
      writeFileSync(join(folder, `fern-${n}.txt`), 'new\n')
      ids.push(id)
    }
    const merged = await Promise.all(ids.map((id) => reviews.merge(id, OPERATOR)))
    expect(merged.map(({ files }) => files)).toEqual([0, 1, 2].map((n) => [`fern-${n}.txt`]))
    expect(git(project, 'status', '--porcelain')).toBe('')
    expect(git(project, 'ls-files').split('\n')).toHaveLength(4)
  })

  it('[BO139] a clean-up keeps the worktree in the home of another server', async () => {
    const opened = await open()
    const { team, server } = opened
    const { id, folder } = await reviewed(opened)
    const worktrees = await openWorktrees({
      root: await makeTestFolder(),
      path: process.env.PATH!,
      confinement: testProcesses().confinement,
    })
    const elsewhere = createTaskReviews({ ...server.services, worktrees, instance: 'other' })
    expect(await elsewhere.cleanUp(id)).toMatchObject([{ attempt: 1, outcome: 'refused', folder }])
    expect((await team.attempts(id))[0]!.worktree).toMatchObject({ path: folder })
  })

  it('[BO144] a stopping server aborts a check without evidence, and refuses reviews', async () => {
    const opened = await open()
    const { team, project, reviews } = opened
    const { id, folder } = await reviewed(opened)
    await setCheck(team, project, PATIENT)
    const checking = reviews.check(id).catch((error: unknown) => error)
    await team.when(() => existsSync(join(folder, 'begun')))
    await reviews.close()
    expect(await checking).toMatchObject({ code: 'server_stopping' })
    expect((await store().taskEvidence.list(id)).filter(({ kind }) => kind === 'check')).toEqual([])
    await expect(reviews.merge(id, OPERATOR)).rejects.toMatchObject({ code: 'server_stopping' })
  })
})
