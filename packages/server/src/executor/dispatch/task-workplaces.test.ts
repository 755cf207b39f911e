import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartOptions } from '@clawboo/core/executor'
import { describe, expect, it } from 'vitest'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { commitAll, git, makeRepository } from '../worktrees/test-project.ts'
import { makeTeam, makeTestFolder, OPERATOR, startServer, testRuntime } from './test-dispatch.ts'

const CHANGES = { changesFiles: true } as const

describe('Tasks that change files', () => {
  const records = useRecords(createSqliteDatabase)
  const store = () => records()[0]!.store

  /** A team whose project is a repository; each start of the runtime writes the next of these into its folder. */
  const open = async (writes: readonly string[], checkCommand: string | null = null) => {
    const folder = await makeTestFolder()
    const project = makeRepository(join(folder, 'project'))
    writeFileSync(join(project, 'moss.txt'), 'brown\n')
    commitAll(project)
    const team = await makeTeam(records()[0]!)
    await store().teams.setProject(team.teamId, { folder: project, checkCommand }, 1)
    const folders: (string | null)[] = []
    const seen: string[] = []
    const atStart = ({ folder: given }: StartOptions) => {
      const next = writes[folders.length]
      folders.push(given)
      if (!given) return
      seen.push(readFileSync(join(given, 'moss.txt'), 'utf8'))
      if (next !== undefined) writeFileSync(join(given, 'moss.txt'), next)
    }
    const runtime = testRuntime(undefined, atStart)
    const workplaces = join(folder, 'worktrees')
    const server = await startServer(records()[0]!, { runtimesOf: [runtime], workplaces })
    return { team, project, runtime, server, folders, seen, workplaces }
  }

  it('[DI11] such a task works in a place of its own, and any other in its agent’s workspace', async () => {
    const { team, project, server, folders, workplaces } = await open(['green\n'])
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    expect(folders[0]!.startsWith(workplaces)).toBe(true)
    expect(readFileSync(join(project, 'moss.txt'), 'utf8')).toBe('brown\n')
    const [execution] = await team.executions(id)
    expect(execution!.worktree).toMatchObject({ path: folders[0], branch: `clawboo/${id}/1` })
    const plain = await team.make(server)
    await team.until(plain.id, 'in_review')
    expect(folders[1]).toBeNull()
    expect((await team.executions(plain.id))[0]!.worktree).toBeNull()
  })

  it('[DI11] without a project it works in its agent’s workspace', async () => {
    const { team, server, folders } = await open([])
    await store().teams.setProject(team.teamId, { folder: null, checkCommand: 'exit 1' }, 1)
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    expect(folders).toEqual([null])
  })

  it('[DI11] a place that is refused, and a runtime that takes none, block the task and say why', async () => {
    const { team, project, server, runtime } = await open([])
    await store().teams.setProject(team.teamId, { folder: join(project, 'none'), checkCommand: null }, 1)
    const refused = await team.make(server, undefined, CHANGES)
    expect((await team.until(refused.id, 'blocked')).reason).toContain(join(project, 'none'))
    await server.close()
    const simple = testRuntime({ asksBeforeModelCall: true, runtimeClass: 'native' })
    const next = await startServer(records()[0]!, { runtimesOf: [simple] })
    await store().teams.setProject(team.teamId, { folder: project, checkCommand: null }, 1)
    const unable = await team.make(next, undefined, CHANGES)
    expect((await team.until(unable.id, 'blocked')).reason).toContain('cannot work in a folder it is given')
    expect([...runtime.started, ...simple.started]).toEqual([])
  })

  it('[DI12] the next attempt goes on in the place of the one before, until that is gone', async () => {
    const { team, server, folders, seen, runtime } = await open(['green\n', 'greener\n', 'greenest\n'])
    const { id } = await team.make(server, undefined, CHANGES)
    const again = async (attempts: number) => {
      await server.tasks.move(id, { to: 'todo' }, OPERATOR)
      await team.when(async () => (await team.get(id)).attempts === attempts)
      await team.until(id, 'in_review')
    }
    await team.until(id, 'in_review')
    await again(2)
    expect(folders[1]).toBe(folders[0])
    expect(seen).toEqual(['brown\n', 'green\n'])
    expect(runtime.started[1]!.prompt).toContain('what the attempts before have left')
    // As a person's clean-up leaves it.
    for (const { id: executionId } of await team.executions(id))
      await store().executions.update(executionId, { worktree: null })
    await again(3)
    expect(folders[2]).not.toBe(folders[0])
    expect(seen[2]).toBe('brown\n')
    expect((await team.executions(id)).at(-1)!.worktree).toMatchObject({ branch: `clawboo/${id}/3` })
  })

  it('[DI12] the place of an attempt of another server is left to that server', async () => {
    const { team, server, workplaces } = await open(['green\n'])
    const plain = await makeTestFolder()
    writeFileSync(join(plain, 'moss.txt'), 'brown\n')
    await store().teams.setProject(team.teamId, { folder: plain, checkCommand: null }, 1)
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    await server.close()
    const runtime = testRuntime()
    const other = await startServer(records()[0]!, { runtimesOf: [runtime], instance: 'other' })
    await other.tasks.move(id, { to: 'todo' }, OPERATOR)
    await team.when(async () => (await team.executions(id))[1]?.state === 'completed')
    const [first, second] = (await team.executions(id)).map(({ worktree }) => worktree!.path)
    expect(first!.startsWith(workplaces)).toBe(true)
    expect(second!.endsWith(`/${id}/2/${id}-2`)).toBe(true)
    expect(readFileSync(join(second!, 'moss.txt'), 'utf8')).toBe('brown\n')
    expect(runtime.started[0]!.prompt).not.toContain('what the attempts before have left')
  })

  it('[DI22] what the host saw is there before the task is in review, as the attempt’s own', async () => {
    const { team, server } = await open(['green\n'], 'grep -q green moss.txt')
    const { id } = await team.make(server, undefined, CHANGES)
    const task = await team.until(id, 'in_review')
    const evidence = await store().taskEvidence.list(id)
    expect(evidence.map(({ kind }) => kind).toSorted()).toEqual(['check', 'diff'])
    expect(evidence.find(({ kind }) => kind === 'check')).toMatchObject({
      command: 'grep -q green moss.txt',
      exitCode: 0,
    })
    const [execution] = await team.executions(id)
    for (const { at } of evidence) {
      expect(at).toBeLessThanOrEqual(execution!.report!.at)
      expect(at).toBeGreaterThanOrEqual(task.changedAt!)
    }
    await server.tasks.move(id, { to: 'done' }, OPERATOR)
  })

  it('[DI22] a check that fails keeps the task open and tells the next attempt what it said', async () => {
    const { team, server, runtime } = await open(['blue\n', 'green\n'], 'cat moss.txt; grep -q green moss.txt')
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    await expect(server.tasks.move(id, { to: 'done' }, OPERATOR)).rejects.toMatchObject({ code: 'check_failed' })
    await server.tasks.move(id, { to: 'todo' }, OPERATOR)
    await team.when(() => runtime.started.length === 2)
    expect(runtime.started[1]!.prompt).toContain('The check exited with 1.\n\nblue')
    await team.until(id, 'in_review')
    await server.tasks.move(id, { to: 'done' }, OPERATOR)
  })

  it('[DI22] a check that changes the work is no evidence for what it left behind', async () => {
    const { team, server } = await open(['green\n'], 'echo blue > moss.txt')
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    await expect(server.tasks.move(id, { to: 'done' }, OPERATOR)).rejects.toMatchObject({ code: 'evidence_stale' })
  })

  it('[DI22] work that shows no difference is no evidence, and what did not complete is not checked', async () => {
    const { team, server } = await open([], null)
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    expect(await store().taskEvidence.list(id)).toEqual([])
    const failing = await open(['green\n'], 'exit 0')
    const failed = await failing.team.make(failing.server, [{ failFatally: 'no key' }], CHANGES)
    const task = await failing.team.until(failed.id, 'blocked')
    expect(await store().taskEvidence.list(failed.id)).toEqual([])
    expect(task.changedAt).toBeGreaterThan(task.startedAt!)
  })

  it('[DI31] the workplace of a lost attempt is kept over a start, and that of a task that is done goes', async () => {
    const { team, project, server, folders, workplaces, runtime } = await open(['green\n'])
    const held = await team.make(server, [{ callTool: 'held' }], CHANGES)
    await team.when(() => folders.length === 1)
    const done = await team.make(server, undefined, CHANGES)
    await server.close()
    await server.tasks.move(held.id, { to: 'backlog' }, OPERATOR)
    const next = await startServer(records()[0]!, { runtimesOf: [runtime], workplaces })
    await team.until(done.id, 'in_review')
    await next.tasks.override(done.id, 'Nothing was to be done.', OPERATOR)
    const [kept, over] = [folders[0]!, folders[1]!]
    expect(existsSync(over)).toBe(true)
    await next.close()
    await startServer(records()[0]!, { runtimesOf: [runtime], workplaces })
    await team.when(() => !git(project, 'branch', '--list', 'clawboo/*').includes(`clawboo/${done.id}/1`))
    expect(existsSync(over)).toBe(false)
    expect(readFileSync(join(kept, 'moss.txt'), 'utf8')).toBe('green\n')
    expect(git(project, 'branch', '--list', 'clawboo/*')).toContain(`clawboo/${held.id}/1`)
  })
})
