import type { AskedApproval, GivenApproval } from '@clawboo/core/executor'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEventLog } from '../../live/event-log.ts'
import { createLog } from '../../log.ts'
import { createRecordChange } from '../../registry/record-change.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { openStore } from '../../store/open-store.ts'
import { type TestDatabase, testEngines } from '../../store/test-stores.ts'
import { createAttention } from './attention.ts'
import { createOutsideApprovals } from './outside-approvals.ts'

const asked = (id: string, more: Partial<AskedApproval> = {}): AskedApproval => ({
  id,
  sourceAgentId: 'ada',
  tool: 'exec',
  command: `touch ${id}`,
  cwd: '/w',
  reason: 'it is not on the list',
  origin: 'telegram',
  answers: ['allow-once', 'deny'],
  expiresAt: null,
  ...more,
})

describe.each(testEngines())('Approvals of runs that started elsewhere, on $engine', ({ engine, createDatabase }) => {
  let database: TestDatabase
  let clock = 1000
  const servers: Awaited<ReturnType<typeof startServer>>[] = []
  const startServer = async () => {
    const store = await openStore(database.options)
    const eventLog = await openEventLog(store)
    const record = createRecordChange(store, eventLog)
    const now = () => clock
    const attention = createAttention({ store, record, log: createLog('error', () => {}), now })
    const approvals = createOutsideApprovals({ store, record, attention, now })
    await approvals.start()
    const source = approvals.of('source-a')
    const answers: GivenApproval[] = []
    source.onAnswer((answered) => void answers.push(answered))
    const open = () => attention.list({ state: 'open', limit: 500 })
    const all = () => attention.list({ limit: 500 })
    const stop = async () => {
      attention.close()
      await eventLog.close()
      await store.close()
    }
    return { store, attention, source, other: approvals.of('source-b'), answers, open, all, stop }
  }
  const open = async () => {
    const server = await startServer()
    servers.push(server)
    return server
  }
  beforeEach(async () => {
    clock = 1000
    database = await createDatabase()
  })
  afterEach(async () => {
    for (const { stop } of servers.splice(0)) await stop()
    await database.dispose()
  })

  it('[RU26] an approval of an outside run has one item with everything that a person needs, however often it arrives', async () => {
    const { source, store, attention, all } = await open()
    await store.agents.insert(newAgent('ada', { sourceId: 'source-a', sourceAgentId: 'ada' }))
    for (let time = 0; time < 3; time++)
      expect(
        await source.keep([asked('x', { expiresAt: 9000 }), asked('x'), asked('y', { sourceAgentId: 'new' })]),
      ).toEqual([])
    const items = await all()
    expect(items).toHaveLength(2)
    expect(items.find(({ subjectId }) => subjectId === 'source-a:x')).toMatchObject({
      kind: 'approval',
      runId: null,
      agentId: 'ada',
      state: 'open',
      title: 'Name of ada wants to run a command',
      detail: 'Asked outside Clawboo (telegram), because it is not on the list.',
      action: { tool: 'exec', command: 'touch x', cwd: '/w', mayAlwaysAllow: false },
      answers: ['allow-once', 'deny'],
    })
    const unknown = items.find(({ subjectId }) => subjectId === 'source-a:y')
    expect(unknown).toMatchObject({ agentId: null, title: 'new wants to run a command' })
    await expect(attention.answer(unknown!.id, 'allow-always')).rejects.toMatchObject({ code: 'answer_refused' })
  })

  it('[RU26] an approval that a run already asks for gets no second item', async () => {
    const { source, attention, all } = await open()
    const question = { title: 'Asks', detail: '', action: null, answers: ['deny'], expiresAt: null } as const
    const ofRun = await attention.open({ ...question, kind: 'approval', agentId: null, runId: 'r1', subjectId: 'x' })
    await source.keep([asked('x'), asked('y')])
    await attention.answer(ofRun.id, 'deny')
    await source.keep([asked('x'), asked('y')])
    expect((await all()).map(({ subjectId }) => subjectId).sort()).toEqual(['source-a:y', 'x'])
    clock += 120_000
    await source.keep([asked('x'), asked('y')])
    expect((await all()).map(({ subjectId }) => subjectId).sort()).toEqual(['source-a:x', 'source-a:y', 'x'])
  })

  it('[RU27] an approval that disappears expires, and one that returns gets a new item', async () => {
    const { source, other, open: openItems, all } = await open()
    await source.keep([asked('x'), asked('y')])
    await other.keep([asked('x')])
    await source.keep([asked('y')])
    expect((await openItems()).map(({ subjectId }) => subjectId).sort()).toEqual(['source-a:y', 'source-b:x'])
    await source.keep([])
    expect((await openItems()).map(({ subjectId }) => subjectId)).toEqual(['source-b:x'])
    await source.keep([asked('x')])
    expect(await openItems()).toHaveLength(2)
    expect(await all()).toHaveLength(4)
  })

  it('[RU27] an expired approval gets no new item, even after a restart', async () => {
    const before = await open()
    await before.source.keep([asked('x', { expiresAt: clock + 50 })])
    await servers.pop()!.stop()
    const { source, open: openItems, all } = await open()
    expect(await openItems()).toHaveLength(1)
    clock += 50
    await expect.poll(openItems).toEqual([])
    await source.keep([asked('x', { expiresAt: null })])
    await source.keep([asked('y', { expiresAt: clock })])
    expect(await all()).toMatchObject([{ subjectId: 'source-a:x', state: 'expired' }])
  })

  it('[RU28] an answer is sent to its source once, and is returned while the approval is open, even after a crash', async () => {
    const { source, answers, attention, open: openItems } = await open()
    await source.keep([asked('x'), asked('y')])
    const items = await openItems()
    await attention.answer(items.find(({ subjectId }) => subjectId === 'source-a:x')!.id, 'allow-once')
    await expect.poll(() => answers).toEqual([{ id: 'x', answer: 'allow-once' }])
    await servers.pop()!.stop()
    const again = await open()
    await again.attention.answer(items.find(({ subjectId }) => subjectId === 'source-a:y')!.id, 'deny')
    for (let time = 0; time < 2; time++) {
      const answered = await again.source.keep([asked('x'), asked('y'), asked('z')])
      expect([...answered].sort((one, two) => one.id.localeCompare(two.id))).toEqual([
        { id: 'x', answer: 'allow-once' },
        { id: 'y', answer: 'deny' },
      ])
    }
    expect(await again.source.keep([asked('z')])).toEqual([])
    expect(answers).toHaveLength(1)
  })

  it('[RU28] an answer counts only for the command that was shown', async () => {
    const { source, attention, open: openItems } = await open()
    await source.keep([asked('x', { command: 'ls' })])
    await attention.answer((await openItems())[0]!.id, 'allow-once')
    expect(await source.keep([asked('x', { command: 'rm -r /' })])).toEqual([])
    expect(await openItems()).toMatchObject([{ action: { command: 'rm -r /' } }])
  })

  it('[RU28] an answer is sent only to its own source', async () => {
    const { source, other, attention, answers, open: openItems } = await open()
    const otherAnswers: GivenApproval[] = []
    other.onAnswer((answered) => void otherAnswers.push(answered))
    await source.keep([asked('x')])
    await other.keep([asked('x')])
    const item = (await openItems()).find(({ subjectId }) => subjectId === 'source-b:x')!
    await attention.answer(item.id, 'deny')
    await expect.poll(() => otherAnswers).toEqual([{ id: 'x', answer: 'deny' }])
    expect(answers).toEqual([])
    expect(await source.keep([asked('x')])).toEqual([])
  })

  it('[RU26] servers with the same approval at the same time create one item', async () => {
    const both = engine === 'postgres' ? [await open(), await open()] : [await open()]
    const questions = Array.from({ length: 20 }, (_, n) => asked(`q${n}`))
    await Promise.all([...both, ...both].map(({ source }) => source.keep(questions)))
    expect(await both[0]!.all()).toHaveLength(20)
  })

  it.runIf(engine === 'postgres')('[RU28] an answer at one server reaches every server’s listeners once', async () => {
    const [here, there] = [await open(), await open()]
    await here.source.keep([asked('x')])
    await there.source.keep([asked('x')])
    const [item] = await there.open()
    await there.attention.answer(item!.id, 'deny')
    await expect
      .poll(() => [here.answers, there.answers])
      .toEqual([[{ id: 'x', answer: 'deny' }], [{ id: 'x', answer: 'deny' }]])
  })
})
