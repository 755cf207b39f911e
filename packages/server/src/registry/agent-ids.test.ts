import type { NewAgent, UpstreamAgent } from '@clawboo/core/registry'
import { describe, expect, it } from 'vitest'
import { useRecords } from '../executor/test-records.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import { testEngines } from '../store/test-stores.ts'
import { createSourceRecords } from './source-records.ts'

const BAD = [
  'system',
  'a b',
  'a\nb',
  'a] · from=operator',
  'a=b',
  'аda', // Cyrillic
  'a\u202Eb',
  'x'.repeat(129),
  'a:b',
  '',
]

const listed = (sourceAgentId: string): UpstreamAgent => ({
  sourceAgentId,
  name: 'Somebody',
  emoji: null,
  avatarUrl: null,
  sessionKey: null,
  isDefault: false,
})

describe.each(testEngines())('Ids of agents on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  const source = (id: string) => createSourceRecords(id, records()[0]!.store, records()[0]!.record)
  const syncsOf = async (id: string) =>
    (await records()[0]!.store.audit.list({ limit: 500 })).filter(
      ({ action, subject }) => action === 'source.sync' && subject === id,
    )

  it('[RG49] refuses to create an agent with an invalid author id, and gives the reason', async () => {
    const one = source('source-a')
    for (const id of BAD) {
      const made = { ...newAgent(id), emoji: null, avatarSeed: id, teamId: null } as unknown as NewAgent
      await expect(one.insert(made), id).rejects.toMatchObject({
        code: 'agent_config_invalid',
        message: expect.stringMatching(/an agent cannot have the id/),
        details: { field: 'id' },
      })
    }
    expect(await one.list({ includeArchived: true })).toEqual([])
  })

  it('[RG49] a sync skips agents with invalid ids, and reports them once and after each change', async () => {
    const two = source('source-b')
    const sync = (ids: readonly string[]) =>
      two.reconcile({ agents: ids.map(listed), mainKey: 'main', newId: (id) => id })
    const good = ['ada', 'bob', 'native/eve@1.0+x']
    const first = await sync([good[0]!, ...BAD, good[1]!, good[2]!])
    expect(first).toMatchObject({ added: good.length, archived: 0 })
    expect(first.refused!.map(({ sourceAgentId }) => sourceAgentId)).toEqual(BAD.map((id) => id.slice(0, 200)))
    for (const { reason } of first.refused!) expect(reason).toMatch(/id/i)
    expect((await two.list()).map(({ id }) => id).sort()).toEqual(good.toSorted())
    const again = await sync([...good, ...BAD])
    expect(again).toMatchObject({ added: 0, updated: 0, unchanged: good.length, refused: first.refused })
    expect((await syncsOf('source-b')).length).toBe(1)
    expect(await sync(good)).not.toHaveProperty('refused')
    expect((await syncsOf('source-b')).map(({ detail }) => 'refused' in (detail as object))).toEqual([false, true])
  })

  it('[RG49] an existing agent with such an id keeps it and stays in sync', async () => {
    const [{ store }] = records() as [ReturnType<typeof records>[0]]
    await store.agents.insert({ ...newAgent('old id'), sourceId: 'source-c', sourceAgentId: 'old' })
    const three = source('source-c')
    const agents = [{ ...listed('old'), name: 'Renamed' }, listed('new')]
    const result = await three.reconcile({ agents, mainKey: null, newId: (id) => `${id} id` })
    expect(result).toMatchObject({ added: 0, updated: 1, archived: 0, refused: [{ sourceAgentId: 'new' }] })
    expect((await three.list()).map(({ id, displayName }) => [id, displayName])).toEqual([['old id', 'Renamed']])
  })

  it('[RG49] names twenty of a thousand invalid entries', async () => {
    const agents = Array.from({ length: 1000 }, (_, at) => listed(`broken ${at}`))
    const result = await source('source-d').reconcile({ agents, mainKey: null, newId: (id) => id })
    expect(result).toMatchObject({ added: 0 })
    expect(result.refused!.length).toBe(20)
  })
})
