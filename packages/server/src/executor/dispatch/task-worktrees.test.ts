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

  /** A team whose project is a repository. The nth run writes the nth text into a file of its folder. */
  const open = async (writes: readonly string[], checkCommand: string | null = null) => {
    const folder = await makeTestFolder()
    const project = makeRepository(join(folder, 'project'))
    writeFileSync(join(project, 'moss.txt'), 'brown\n')
    commitAll(project)
    const team = await makeTeam(records()[0]!)
    await store().teams.setProject(team.teamId, { folder: project, checkCommand }, 1)
    const folders: (string | null)[] = []
    const seen: string[] = []
    const atStart = ({ folder: worktree }: StartOptions) => {
      const next = writes[folders.length]
      folders.push(worktree)
      if (!worktree) return
      seen.push(readFileSync(join(worktree, 'moss.txt'), 'utf8'))
      if (next !== undefined) writeFileSync(join(worktree, 'moss.txt'), next)
    }
    const runtime = testRuntime(undefined, atStart)
    const worktreeRoot = join(folder, 'worktrees')
    const server = await startServer(records()[0]!, { runtimesOf: [runtime], worktreeRoot })
    return { team, project, runtime, server, folders, seen, worktreeRoot }
  }

  it('[DI11] a task that changes files has its own worktree; any other works in its agent’s workspace', async () => {
    const { team, project, server, folders, worktreeRoot } = await open(['green\n'])
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    expect(folders[0]!.startsWith(worktreeRoot)).toBe(true)
    expect(readFileSync(join(project, 'moss.txt'), 'utf8')).toBe('brown\n')
    const [attempt] = await team.attempts(id)
    expect(attempt!.worktree).toMatchObject({ path: folders[0], branch: `clawboo/${id}/1` })
    const plain = await team.make(server)
    await team.until(plain.id, 'in_review')
    expect(folders[1]).toBeNull()
    expect((await team.attempts(plain.id))[0]!.worktree).toBeNull()
  })

  it('[DI11] without a project, the task works in its agent’s workspace', async () => {
    const { team, server, folders } = await open([])
    await store().teams.setProject(team.teamId, { folder: null, checkCommand: 'exit 1' }, 1)
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    expect(folders).toEqual([null])
  })

  it('[DI11] a refused worktree and a runtime without worktrees block the task, with the reason', async () => {
    const { team, project, server, runtime } = await open([])
    await store().teams.setProject(team.teamId, { folder: join(project, 'none'), checkCommand: null }, 1)
    const refused = await team.make(server, undefined, CHANGES)
    expect((await team.until(refused.id, 'blocked')).reason).toContain(join(project, 'none'))
    await server.close()
    const simple = testRuntime({ asksBeforeModelCall: true, runtimeClass: 'native' })
    const next = await startServer(records()[0]!, { runtimesOf: [simple] })
    await store().teams.setProject(team.teamId, { folder: project, checkCommand: null }, 1)
    const unable = await team.make(next, undefined, CHANGES)
    expect((await team.until(unable.id, 'blocked')).reason).toContain('cannot work in a given folder')
    expect([...runtime.started, ...simple.started]).toEqual([])
  })

  it('[DI12] the next attempt continues in the worktree of the previous one, while it exists', async () => {
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
    expect(runtime.started[1]!.prompt).toContain('the work of the previous attempts')
    // As after a person's clean-up.
    for (const { id: attemptId } of await team.attempts(id))
      await store().attempts.update(attemptId, { worktree: null })
    await again(3)
    expect(folders[2]).not.toBe(folders[0])
    expect(seen[2]).toBe('brown\n')
    expect((await team.attempts(id)).at(-1)!.worktree).toMatchObject({ branch: `clawboo/${id}/3` })
  })

  it('[DI12] the worktree of another server is not used', async () => {
    const { team, server, worktreeRoot } = await open(['green\n'])
    const plain = await makeTestFolder()
    writeFileSync(join(plain, 'moss.txt'), 'brown\n')
    await store().teams.setProject(team.teamId, { folder: plain, checkCommand: null }, 1)
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    await server.close()
    const runtime = testRuntime()
    const other = await startServer(records()[0]!, { runtimesOf: [runtime], instance: 'other' })
    await other.tasks.move(id, { to: 'todo' }, OPERATOR)
    await team.when(async () => (await team.attempts(id))[1]?.state === 'completed')
    const [first, second] = (await team.attempts(id)).map(({ worktree }) => worktree!.path)
    expect(first!.startsWith(worktreeRoot)).toBe(true)
    expect(second!.endsWith(`/${id}/2/${id}-2`)).toBe(true)
    expect(readFileSync(join(second!, 'moss.txt'), 'utf8')).toBe('brown\n')
    expect(runtime.started[0]!.prompt).not.toContain('the work of the previous attempts')
  })

  it('[DI22] the attempt’s evidence is stored before the task is in review', async () => {
    const { team, server } = await open(['green\n'], 'grep -q green moss.txt')
    const { id } = await team.make(server, undefined, CHANGES)
    const task = await team.until(id, 'in_review')
    const evidence = await store().taskEvidence.list(id)
    expect(evidence.map(({ kind }) => kind).toSorted()).toEqual(['check', 'diff'])
    expect(evidence.find(({ kind }) => kind === 'check')).toMatchObject({
      command: 'grep -q green moss.txt',
      exitCode: 0,
    })
    const [attempt] = await team.attempts(id)
    for (const { at } of evidence) {
      expect(at).toBeLessThanOrEqual(attempt!.report!.at)
      expect(at).toBeGreaterThanOrEqual(task.changedAt!)
    }
    await server.tasks.move(id, { to: 'done' }, OPERATOR)
  })

  it('[DI22] a failed check keeps the task open, and its output is in the next prompt', async () => {
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

  it('[DI22] a check that changes the work is no evidence for its own changes', async () => {
    const { team, server } = await open(['green\n'], 'echo blue > moss.txt')
    const { id } = await team.make(server, undefined, CHANGES)
    await team.until(id, 'in_review')
    await expect(server.tasks.move(id, { to: 'done' }, OPERATOR)).rejects.toMatchObject({ code: 'evidence_stale' })
  })

  it('[DI22] work without a difference is no evidence, and an attempt that did not complete is not checked', async () => {
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

  it('[DI31] the worktree of a lost attempt survives a restart, and that of a done task is removed', async () => {
    const { team, project, server, folders, worktreeRoot, runtime } = await open(['green\n'])
    const held = await team.make(server, [{ callTool: 'held' }], CHANGES)
    await team.when(() => folders.length === 1)
    const done = await team.make(server, undefined, CHANGES)
    await server.close()
    await server.tasks.move(held.id, { to: 'backlog' }, OPERATOR)
    const next = await startServer(records()[0]!, { runtimesOf: [runtime], worktreeRoot })
    await team.until(done.id, 'in_review')
    await next.tasks.override(done.id, 'Nothing was to be done.', OPERATOR)
    const [lost, finished] = [folders[0]!, folders[1]!]
    expect(existsSync(finished)).toBe(true)
    await next.close()
    await startServer(records()[0]!, { runtimesOf: [runtime], worktreeRoot })
    await team.when(() => !git(project, 'branch', '--list', 'clawboo/*').includes(`clawboo/${done.id}/1`))
    expect(existsSync(finished)).toBe(false)
    expect(readFileSync(join(lost, 'moss.txt'), 'utf8')).toBe('green\n')
    expect(git(project, 'branch', '--list', 'clawboo/*')).toContain(`clawboo/${held.id}/1`)
  })
})
