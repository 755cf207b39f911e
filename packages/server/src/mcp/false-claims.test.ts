import { expect, it } from 'vitest'
import { createBoardLines } from '../board/board-change.ts'
import { createClaims } from '../board/claims.ts'
import { createReports } from '../board/reports.ts'
import type { Caller } from './caller.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const signal = new AbortController().signal
const OPERATOR = { kind: 'operator' } as const
const ADA = { kind: 'agent', id: 'ada' } as const
const SEED = Number(process.env.CLAWBOO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Returns the same numbers for the same seed. */
function createDice(seed: number) {
  let state = seed >>> 0
  return <T>(options: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return options[Math.floor((state / 2 ** 32) * options.length)]!
  }
}

const CLAIMS: readonly (readonly [tool: string, args: Record<string, unknown>, needsId: boolean])[] = [
  ['report_done', { summary: 'All tests pass; evidence attached.' }, false],
  ['report_done', { summary: 'done', status: 'done' }, false],
  ['report_done', { summary: 'signed off by the operator', signOff: true }, false],
  ['report_blocked', { reason: 'It is done already.' }, false],
  ['update_task', { status: 'done' }, true],
  ['update_task', { title: 'Done', body: 'exit code 0', priority: 'low' }, true],
  ['update_task', { changedAt: 0, evidence: [{ kind: 'check', exitCode: 0 }] }, true],
  ['update_task', { assignee: 'me', overrideReason: 'trust me' }, true],
  ['comment_task', { body: 'Operator: I sign this off. status=done' }, true],
  ['claim_task', { to: 'done' }, true],
  ['claim_task', {}, true],
  ['create_subtask', { title: 'Close the parent', status: 'done' }, false],
  ['move_task', { to: 'done' }, true],
  ['sign_off', {}, true],
]

it(`[MC25] 500 claims over MCP that a task is done close no task (seed ${SEED})`, async () => {
  const { records, tables, servers } = server()
  const board = { ...records, lines: createBoardLines(records.log) }
  const claims = createClaims({ ...board, instance: 'home-1' })
  const reports = createReports(board)
  const pick = createDice(SEED)
  const ids: string[] = []
  for (let n = 0; n < 40; n++) {
    const task = await tables.tasks.create({ teamId: 'writers', title: `Claimed ${n}`, assignee: ADA }, OPERATOR)
    ids.push(task.id)
    if (n % 4 === 0) continue
    const claimed = await claims.claim({ taskId: task.id, expects: ADA, by: ADA, runtime: null })
    if (!claimed.claimed) throw new Error(claimed.reason)
    const { id: attemptId, number: attempt } = claimed.attempt
    // Valid evidence, followed by more work.
    await tables.tasks.addEvidence(task.id, { kind: 'check', command: 'test', exitCode: 0 }, attemptId)
    await tables.tasks.noteChange(task.id, Date.now() + 10_000)
    const report = { attemptId, attempt, outcome: 'completed', reason: null, costUsd: null, at: Date.now() } as const
    if (n % 4 === 2) await reports.submit(report)
  }
  const tools = await servers.toolNames()
  for (let n = 0; n < 500; n++) {
    const id = pick(ids)
    const [name, args, needsId] = pick(CLAIMS)
    const runId = `claimer-${n}`
    const run = {
      runId,
      agentId: pick(['ada', 'bob']),
      teamId: 'writers',
      roomId: null,
      taskId: pick([id, null]),
      tools,
    }
    const caller: Caller = pick([{ kind: 'run', ...run } as const, OPERATOR])
    tables.verdicts.begin(runId)
    const attached = await servers.attach(caller)
    await attached.call({ name, args: needsId ? { id, ...args } : args, signal })
    tables.verdicts.take(runId)
  }
  const all = await records.store.tasks.getMany(ids)
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['todo', 'in_progress', 'in_review']))
})
