import { join } from 'node:path'
import { judgeDone } from '@clawboo/core/board'
import { expect, test } from 'vitest'
import { restoreBackup } from '../../packages/server/src/backup/restore-backup.ts'
import { writeBackup } from '../../packages/server/src/backup/write-backup.ts'
import { homeFiles } from '../../packages/server/src/home.ts'
import { newRun } from '../../packages/server/src/store/contract/runs-contract.ts'
import type { TestEngine } from '../../packages/server/src/store/test-stores.ts'
import { createRandom, type Random } from '../chaos/random.ts'
import { isSoak, testSeed } from '../seed.ts'
import { removeHome, temporaryHome } from '../server-process.ts'
import { type BoardServer, claimTask, describeBoardServer, makeTeam, openBoardServer } from './board-server.ts'

const CLAIMS = isSoak ? 1000 : 100
const HASH = 'c'.repeat(64)

interface Place {
  readonly server: BoardServer
  readonly teamId: string
  readonly agentId: string
  readonly random: Random
}

type Step = (place: Place, taskId: string) => Promise<unknown>

const check =
  (exitCode: number | null): Step =>
  ({ server }, taskId) =>
    server.tasks.addEvidence(taskId, { kind: 'check', command: 'npm test', exitCode })
const change: Step = async ({ server }, taskId) => {
  const shown = await server.store.taskEvidence.list(taskId)
  await server.tasks.noteChange(taskId, Math.max(Date.now(), ...shown.map(({ at }) => at)) + 1)
}
const signOffAndReopen: Step = async ({ server: { client } }, taskId) => {
  await client.signOffTask({ params: { taskId } })
  await client.moveTask({ params: { taskId }, body: { to: 'todo' } })
}
const report: Step = async ({ server }, taskId) => {
  const [newest] = (await server.store.attempts.ofTasks([taskId])).slice(-1)
  if (!newest) return
  const { id: attemptId, number: attempt } = newest
  const at = Date.now()
  await server.reports.submit({ attemptId, attempt, outcome: 'completed', reason: null, costUsd: null, at })
}

/** Histories of tasks. After each of them, no current evidence shows that the task is done. */
const HISTORIES: readonly (readonly Step[])[] = [
  [],
  [change],
  [check(0), change],
  [check(0), change, report],
  [check(1)],
  [check(0), check(1), report],
  [check(null), report],
  [({ server }, taskId) => server.tasks.addEvidence(taskId, { kind: 'diff', sha256: HASH }), change],
  [({ server }, taskId) => server.tasks.addEvidence(taskId, { kind: 'artefact', sha256: HASH, path: 'out' }), change],
  [check(0), ({ server }, taskId) => server.client.updateTask({ params: { taskId }, body: { body: 'And more.' } })],
  [report, signOffAndReopen],
  [check(0), report, signOffAndReopen, (place, taskId) => claimTask(place.server, taskId, place.agentId)],
]

/** Claims that a task is done. None of these is a sign-off or an override by a person. */
const FALSE_CLAIMS: readonly Step[] = [
  done,
  (place, taskId) => Promise.all([done(place, taskId), done(place, taskId), done(place, taskId)]),
  inTurn(move({ to: 'in_review' }), done),
  inTurn(move({ to: 'blocked', reason: 'It is done, all of it.' }), done),
  inTurn(comment('All checks pass. Exit code 0. This task is DONE.'), done),
  inTurn(report, done),
  inTurn(report, report, done),
  inTurn(move({ to: 'todo' }), done),
  inTurn(patch({ changesFiles: true }), done, patch({ changesFiles: false }), done),
  inTurn(patch({ priority: 'urgent' }), move({ to: 'done', reason: 'done' }), done),
  move({ to: 'done', signOff: true }),
  move({ to: 'done', overrideReason: 'The agent said so.' }),
  move({ to: 'done', evidence: [{ kind: 'check', command: 'npm test', exitCode: 0, at: 9e15 }] }),
  patch({ status: 'done' }),
  patch({ changedAt: null, status: 'done', endedAt: 1 }),
  ({ server }, taskId) => server.client.overrideTask({ params: { taskId }, body: { reason: ' \u200b ' } }),
  ({ server }, taskId) => server.client.overrideTask({ params: { taskId }, body: {} as never }),
  childIsDone,
  byGrant,
  lateEvidence,
]

describeBoardServer('False claims', (server, engine) => {
  test('[BO134] no false claim closes a task whose newest evidence is older than its newest change', {
    timeout: isSoak ? 3_600_000 : 120_000,
  }, async () => {
    const random = createRandom(testSeed)
    const before = { server: server(), ...(await makeTeam(server())), random }
    const pool: string[] = []
    let [closed, honest] = [0, 0]
    const round = async (place: Place, count: number) => {
      for (let n = 0; n < count; n++) {
        if (n % 5 === 0) pool.push(await makeTask(place))
        const taskId = pool[random.below(pool.length)]!
        const step = FALSE_CLAIMS[n % FALSE_CLAIMS.length]!
        await step(place, taskId).catch(expectRefusal)
        if (await isFalselyClosed(place, taskId)) closed += 1
      }
    }
    await round(before, CLAIMS / 2)
    const restored = await restoreElsewhere(before.server, engine)
    try {
      const after = { ...before, server: restored.server }
      for (const taskId of pool) if (await isFalselyClosed(after, taskId)) closed += 1
      await round(after, CLAIMS / 2)
      for (const taskId of pool.slice(-10)) if (await closesHonestly(after, taskId)) honest += 1
    } finally {
      await restored.dispose()
    }
    expect({ closed, honest, seed: testSeed }).toEqual({ closed: 0, honest: 10, seed: testSeed })
  })
})

async function makeTask(place: Place): Promise<string> {
  const { server, teamId, agentId, random } = place
  const body = { title: 'Prove it', assignee: { kind: 'agent', id: agentId } as const }
  const { id } = await server.client.createTask({ params: { teamId }, body })
  await claimTask(server, id, agentId)
  for (const step of HISTORIES[random.below(HISTORIES.length)]!) await step(place, id)
  return id
}

/** Whether the task is done although its evidence does not allow it. */
async function isFalselyClosed({ server }: Place, taskId: string): Promise<boolean> {
  const { task, evidence, overrides } = await server.client.getTask({ params: { taskId } })
  if (task.status !== 'done') return false
  const newest = Math.max(...evidence.map(({ at }) => at))
  const isStale = !(evidence.length > 0) || (task.changedAt !== null && newest < task.changedAt)
  return overrides.length === 0 && (isStale || !judgeDone({ task, evidence, override: null }).ok)
}

/** Adds a check that passed after the newest change: only the evidence was missing. */
async function closesHonestly(place: Place, taskId: string): Promise<boolean> {
  const { client } = place.server
  const params = { taskId }
  const { task, evidence } = await client.getTask({ params })
  const newest = Math.max(task.changedAt ?? 0, ...evidence.map(({ at }) => at))
  while (Date.now() <= newest) await new Promise((resolve) => setTimeout(resolve, 1))
  await check(0)(place, taskId)
  return (await client.moveTask({ params, body: { to: 'done' } })).task.status === 'done'
}

/** Restores the board from a backup on another server. */
async function restoreElsewhere(server: BoardServer, { engine, createDatabase }: TestEngine) {
  const home = await temporaryHome()
  const database = engine === 'postgres' ? await createDatabase() : null
  const file = join(home, 'board.backup')
  await writeBackup({ db: server.store.db, home: server.home, file })
  const databaseUrl = database?.options.databaseUrl ?? null
  await restoreBackup({ file, home, databaseUrl, replace: false })
  const options = database?.options ?? { sqliteFile: homeFiles(home).database }
  const restored = await openBoardServer(options)
  return {
    server: restored,
    async dispose() {
      await restored.close()
      await database?.dispose()
      await removeHome(home)
    },
  }
}

function done({ server }: Place, taskId: string) {
  return server.client.moveTask({ params: { taskId }, body: { to: 'done' } })
}

function move(body: Record<string, unknown>): Step {
  return ({ server }, taskId) => server.client.moveTask({ params: { taskId }, body: body as never })
}

function patch(body: Record<string, unknown>): Step {
  return ({ server }, taskId) => server.client.updateTask({ params: { taskId }, body: body as never })
}

function comment(text: string): Step {
  return ({ server }, taskId) => server.client.commentTask({ params: { taskId }, body: { body: text } })
}

/** Runs each step, even when the one before was refused. */
function inTurn(...steps: readonly Step[]): Step {
  return async (place, taskId) => {
    for (const step of steps) await step(place, taskId).catch(expectRefusal)
  }
}

/** Adds evidence to another task and to a subtask. */
async function childIsDone(place: Place, taskId: string): Promise<void> {
  const { server, teamId } = place
  const child = await server.client.createTask({ params: { teamId }, body: { title: 'done', parentId: taskId } })
  await check(0)(place, child.id)
  await done(place, child.id)
  await done(place, taskId)
}

async function byGrant({ server, teamId, agentId, random }: Place, taskId: string): Promise<void> {
  const runId = `run-${taskId}-${random.below(1e9)}`
  await server.store.runs.insert(newRun(runId, { agentId, teamId }))
  const { secret } = await server.grants.issue({ runId, agentId, teamId, roomId: null, taskId, tools: [] })
  const headers = { authorization: `Bearer ${secret}` }
  const answer = await fetch(`${server.url}/api/tasks/${taskId}/sign-off`, { method: 'POST', headers })
  expect(answer.status).toBe(403)
}

/** Adds evidence from an attempt that the task no longer has. */
async function lateEvidence(place: Place, taskId: string): Promise<void> {
  const { server } = place
  const [first] = await server.store.attempts.ofTasks([taskId])
  await server.client.moveTask({ params: { taskId }, body: { to: 'todo' } }).catch(expectRefusal)
  const shown = { kind: 'check', command: 'npm test', exitCode: 0 } as const
  await server.tasks.addEvidence(taskId, shown, first!.id).catch(expectRefusal)
  await done(place, taskId)
}

/** An internal error is not a refusal. */
function expectRefusal(error: unknown): void {
  const code = (error as { code?: string }).code
  if (code === undefined || code === 'internal' || code === 'network') throw error
}
