import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartOptions } from '@clawboo/core/executor'
import { describe, expect, it } from 'vitest'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { createWorkplaceReviews } from '../reviews/task-reviews.ts'
import { createWorkplaceTurns } from '../reviews/worktree-locks.ts'
import { useRecords } from '../test-records.ts'
import { commitAll, git, makeRepository } from '../worktrees/test-project.ts'
import { openWorktrees } from '../worktrees/worktrees.ts'
import { makeTeam, makeTestFolder, OPERATOR, type ServerOptions, startServer, testRuntime } from './test-dispatch.ts'

const CHANGES = { changesFiles: true } as const
const HELD = [{ callTool: 'held' }, { say: 'Now it is done.' }] as const
const CONFLICT = { code: 'task_conflict' }
/** Goes on until somebody puts the file `go` beside the work, and at most for a minute or two. */
const PATIENT = 'touch begun; n=0; while [ ! -e go ] && [ $n -lt 3000 ]; do sleep 0.02; n=$((n+1)); done'

describe('Tasks whose work is reviewed', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  /** A server with its reviews, and a task whose attempt has changed a file and is over. */
  const open = async (more: Pick<ServerOptions, 'onStep'> = {}, isSlow = false) => {
    const folder = await makeTestFolder()
    const project = makeRepository(join(folder, 'project'))
    writeFileSync(join(project, 'moss.txt'), 'brown\n')
    commitAll(project)
    const team = await makeTeam(records()[0]!)
    await store().teams.setProject(team.teamId, { folder: project, checkCommand: null }, 1)
    const plain = testRuntime(undefined, ({ folder: given }: StartOptions) => {
      if (given) writeFileSync(join(given, 'moss.txt'), 'green\n')
    })
    const mayEnd = Promise.withResolvers<void>()
    const abort: typeof plain.adapter.abort = async (run) => {
      await mayEnd.promise
      await plain.adapter.abort(run)
    }
    const runtime = isSlow ? { ...plain, adapter: { ...plain.adapter, abort } } : plain
    const workplaces = join(folder, 'worktrees')
    const turns = createWorkplaceTurns()
    const server = await startServer(records()[0]!, {
      ...{ runtimesOf: [runtime], workplaces, turns, pollMs: 60_000 },
      ...more,
    })
    const reviews = createWorkplaceReviews(server.parts)
    return { team, project, runtime, server, reviews, turns, workplaces, mayEnd: () => mayEnd.resolve() }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  const reviewed = async ({ team, server }: Opened) => {
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    return { id, folder: (await team.executions(id))[0]!.worktree!.path }
  }
  const setCheck = (team: Opened['team'], project: string, checkCommand: string) =>
    store().teams.setProject(team.teamId, { folder: project, checkCommand }, 1)

  it('[DI7] it does not start while its work is checked, says so, and starts when that is over', async () => {
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
        ...{ taskId: id, code: 'waits_for_person' },
        reason: 'waits while its work is looked at, merged, checked or cleaned up',
      },
    ])
    expect(runtime.started).toHaveLength(1)
    await setCheck(team, project, 'true')
    writeFileSync(join(folder, 'go'), '')
    expect(await checking).toMatchObject({ exitCode: 0 })
    await team.when(() => runtime.started.length === 2)
    await team.until(id, 'in_review')
  })

  it('[BO143] a review that comes while a task is being claimed is refused, whatever the board still says', async () => {
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
    expect(diff).toMatchObject({ workplace: { attempt: 1 }, diff: null })
    expect(readFileSync(join(project, 'moss.txt'), 'utf8')).toBe('brown\n')
    await team.until(id, 'in_review')
    begin = () => {}
    expect(await reviews.merge(id, OPERATOR)).toMatchObject({ how: 'fast-forward' })
  })

  it('[BO143] an attempt that was taken back and still ends keeps its files to itself', async () => {
    const opened = await open({}, true)
    const { team, server, reviews, runtime, mayEnd } = opened
    const { id } = await team.make(server, [...HELD], CHANGES)
    await team.when(() => runtime.started.length === 1)
    expect(await reviews.cleanUp(id)).toEqual([])
    await server.tasks.move(id, { to: 'cancelled' }, OPERATOR)
    expect((await team.executions(id))[0]).toMatchObject({ state: 'lost' })
    await expect(reviews.merge(id, OPERATOR)).rejects.toMatchObject(CONFLICT)
    await expect(reviews.cleanUp(id)).rejects.toMatchObject(CONFLICT)
    expect(await reviews.diff(id)).toMatchObject({ workplace: { attempt: 1 }, diff: null })
    mayEnd()
    await expect.poll(() => reviews.merge(id, OPERATOR).catch(() => null)).toMatchObject({ how: 'fast-forward' })
  })

  it('[DI31] what is reviewed while a server starts is not swept', async () => {
    const opened = await open()
    const [kept, gone] = [await reviewed(opened), await reviewed(opened)]
    for (const { id } of [kept, gone]) {
      await opened.reviews.merge(id, OPERATOR)
      await opened.server.tasks.override(id, 'It is merged.', OPERATOR)
    }
    await opened.server.close()
    const turns = createWorkplaceTurns()
    const looked = Promise.withResolvers<void>()
    const looking = turns.alone(kept.id, () => looked.promise)
    await startServer(records()[0]!, { workplaces: opened.workplaces, turns })
    await opened.team.when(() => !existsSync(gone.folder) && !turns.isReviewed(gone.id))
    expect(existsSync(kept.folder)).toBe(true)
    looked.resolve()
    await looking
  })

  it('[BO145] the work of many tasks is taken over into one project at once', async () => {
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

  it('[BO139] a clean-up does not forget what lies in the home of another server', async () => {
    const opened = await open()
    const { team, server } = opened
    const { id, folder } = await reviewed(opened)
    const worktrees = await openWorktrees({ root: await makeTestFolder(), path: process.env.PATH! })
    const elsewhere = createWorkplaceReviews({ ...server.parts, worktrees, instance: 'other' })
    expect(await elsewhere.cleanUp(id)).toMatchObject([{ attempt: 1, outcome: 'refused', folder }])
    expect((await team.executions(id))[0]!.worktree).toMatchObject({ path: folder })
  })

  it('[BO144] a server that stops ends a check without evidence, and takes no more reviews', async () => {
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
