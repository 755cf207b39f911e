import { type AgentColumn, agentColumnsOwnedBy, type UpstreamAgent } from '@clawboo/core/registry'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type FieldName, fieldName } from '../field-name.ts'
import type { Store } from '../open-store.ts'
import { sql } from '../sql.ts'
import { newAgent, upstreamAgent } from './agents-contract.ts'
import { sampleSize, TEST_SEED } from './test-sample.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export function describeReconcile(createDatabase: CreateDatabase): void {
  describe('reconcile', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      await subject.store.db.run(sql`DELETE FROM agents`)
    })

    describeChanges(subject)
    describeLists(subject)
  })
}

type Subject = ReturnType<typeof useStore>

interface AgentRow extends Readonly<Record<FieldName<AgentColumn>, unknown>> {
  readonly id: string
  readonly sourceAgentId: string
}

function describeChanges(subject: Subject): void {
  it('[ST70] new agents are added, known agents updated, missing agents archived, returned agents revived', async () => {
    const { store } = subject
    const first = await sync(store, 'source-a', [upstreamAgent('one'), upstreamAgent('two')], 10)
    expect(first.result).toEqual({ added: 2, updated: 0, archived: 0, revived: 0, unchanged: 0, at: 10 })
    expect(first.upserted).toMatchObject([
      {
        id: 'source-a/one',
        status: 'idle',
        statusAt: 10,
        participantKind: 'agent',
        avatarSeed: 'source-a/one',
        runtime: 'runtime-x',
      },
      { id: 'source-a/two', createdAt: 10, updatedAt: 10 },
    ])
    const second = await sync(store, 'source-a', [upstreamAgent('one', { emoji: '👻', isDefault: true })], 20)
    expect(second.result).toEqual({ added: 0, updated: 1, archived: 1, revived: 0, unchanged: 0, at: 20 })
    expect(second.upserted).toMatchObject([
      { id: 'source-a/one', emoji: '👻', isDefault: true, updatedAt: 20, statusAt: 10 },
    ])
    expect(second.archivedIds).toEqual(['source-a/two'])
    expect(await store.agents.get('source-a/two')).toMatchObject({
      status: 'archived',
      statusAt: 20,
      archivedAt: 20,
      updatedAt: 20,
    })
    const third = await sync(
      store,
      'source-a',
      [upstreamAgent('one', { emoji: '👻', isDefault: true }), upstreamAgent('two')],
      30,
    )
    expect(third.result).toEqual({ added: 0, updated: 0, archived: 0, revived: 1, unchanged: 1, at: 30 })
    expect(third.upserted).toMatchObject([
      { id: 'source-a/two', status: 'idle', statusAt: 30, archivedAt: null, createdAt: 10 },
    ])
  })

  it('[ST71] a changed agent keeps the status that its runtime wrote', async () => {
    const { store } = subject
    await sync(store, 'source-a', [upstreamAgent('one')], 10)
    await store.agents.setStatus('source-a/one', 'running', 15)
    await sync(store, 'source-a', [upstreamAgent('one', { name: 'New' })], 20)
    expect(await store.agents.get('source-a/one')).toMatchObject({
      status: 'running',
      statusAt: 15,
      displayName: 'New',
    })
  })
}

function describeLists(subject: Subject): void {
  it('[ST72] when the upstream lists an agent twice the last entry counts', async () => {
    const { store } = subject
    const { result } = await sync(
      store,
      'source-a',
      [upstreamAgent('one', { name: 'A' }), upstreamAgent('one', { name: 'B' })],
      10,
    )
    expect(result).toMatchObject({ added: 1, unchanged: 0 })
    expect(await store.agents.get('source-a/one')).toMatchObject({ displayName: 'B' })
  })

  it('[ST73] more agents than fit in one statement are reconciled', async () => {
    const { store } = subject
    const many = Array.from({ length: 2001 }, (_, n) => upstreamAgent(`agent-${n}`))
    expect((await sync(store, 'source-a', many, 10)).result).toMatchObject({ added: 2001 })
    expect((await sync(store, 'source-a', many, 20)).result).toMatchObject({ unchanged: 2001, updated: 0 })
    expect((await sync(store, 'source-a', [], 30)).result).toMatchObject({ archived: 2001 })
  })

  it('[ST74] no sequence of syncs changes a column that Clawboo owns, another source, or an unchanged row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 6 }), (steps) => replay(subject.store, steps)),
      {
        seed: TEST_SEED,
        numRuns: sampleSize(30, 1000),
      },
    )
  })
}

type Step =
  | { readonly kind: 'sync'; readonly source: string; readonly list: readonly UpstreamAgent[] }
  | { readonly kind: 'edit'; readonly source: string; readonly agent: string; readonly text: string }
  | { readonly kind: 'own'; readonly source: string; readonly agent: string }

const SOURCE = fc.constantFrom('source-a', 'source-b')
const AGENT = fc.constantFrom('one', 'two', 'three', 'four')
const TEXT = fc.option(fc.constantFrom('', 'x', 'y', 'é'), { nil: null })
const UPSTREAM: fc.Arbitrary<UpstreamAgent> = fc.record({
  sourceAgentId: AGENT,
  name: TEXT,
  emoji: TEXT,
  avatarUrl: TEXT,
  sessionKey: TEXT,
  isDefault: fc.boolean(),
})
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      source: SOURCE,
      list: fc.array(UPSTREAM, { maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      source: SOURCE,
      agent: AGENT,
      text: fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('own' as const), source: SOURCE, agent: AGENT }) },
)

const sync = (store: Store, sourceId: string, list: readonly UpstreamAgent[], now: number) => {
  const newId = (sourceAgentId: string) => `${sourceId}/${sourceAgentId}`
  const options = { runtime: 'runtime-x', newId, findIdProblem: () => null, now }
  return store.transaction((tx) => tx.agents.reconcile(sourceId, list, options), `source:${sourceId}`)
}

const allRows = async (store: Store) => {
  const rows = await store.db.all<AgentRow>(sql`SELECT * FROM agents ORDER BY id`)
  return new Map(rows.map((row) => [row.id, row]))
}

async function replay(store: Store, steps: readonly Step[]): Promise<void> {
  await store.db.run(sql`DELETE FROM agents`)
  for (const [index, step] of steps.entries()) {
    const now = (index + 1) * 10
    if (step.kind === 'sync') await checkedSync(store, step, now)
    else if (step.kind === 'edit') {
      const fields = {
        nameOverride: step.text,
        personalityConfig: { text: step.text },
        capabilities: [now],
        avatarSeed: step.text,
      }
      await store.agents.update(step.source, `${step.source}/${step.agent}`, {
        ...fields,
        status: 'running',
        updatedAt: now,
      })
    } else {
      const known = await store.agents.get(`${step.source}/${step.agent}`)
      if (!known)
        await store.agents.insert(
          newAgent(`${step.source}/${step.agent}`, { sourceId: step.source, sourceAgentId: step.agent }),
        )
    }
  }
}

async function checkedSync(
  store: Store,
  { source, list }: Extract<Step, { kind: 'sync' }>,
  now: number,
): Promise<void> {
  const listed = new Map(list.map((agent) => [agent.sourceAgentId, agent]))
  const before = await allRows(store)
  const { result, upserted, archivedIds } = await sync(store, source, list, now)
  const after = await allRows(store)

  for (const [id, row] of before) {
    const now = after.get(id)!
    if (row.sourceId !== source) expect(now).toEqual(row)
    for (const column of agentColumnsOwnedBy('clawboo')) {
      const field = fieldName(column)
      expect(now[field]).toEqual(row[field])
    }
  }
  const ofSource = [...after.values()].filter((row) => row.sourceId === source)
  const live = ofSource.filter((row) => row.archivedAt === null)
  expect(live.map((row) => row.sourceAgentId).sort()).toEqual([...listed.keys()].sort())
  for (const row of live) {
    const { name, emoji, avatarUrl, sessionKey, isDefault } = listed.get(row.sourceAgentId)!
    expect(row).toMatchObject({
      name,
      emoji,
      avatarUrl,
      sessionKey,
      isDefault: isDefault ? 1 : 0,
    })
  }
  const changed = ofSource.filter((row) => row.updatedAt === now).map((row) => row.id)
  expect(changed.sort()).toEqual([...upserted.map(({ id }) => id), ...archivedIds].sort())
  expect(result.added + result.updated + result.revived).toBe(upserted.length)
  expect(result.archived).toBe(archivedIds.length)
  expect(result.added + result.updated + result.revived + result.unchanged).toBe(listed.size)

  const again = await sync(store, source, list, now + 5)
  expect(again.result).toEqual({ added: 0, updated: 0, archived: 0, revived: 0, unchanged: listed.size, at: now + 5 })
  expect(await allRows(store)).toEqual(after)
}
