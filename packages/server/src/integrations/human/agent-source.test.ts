import { describeAgentSourceContract } from '@clawboo/core/contract'
import { describe, expect, test } from 'vitest'
import { openEventLog } from '../../live/event-log.ts'
import { createRecordChange } from '../../registry/record-change.ts'
import { createSourceRecords } from '../../registry/source-records.ts'
import { openStore } from '../../store/open-store.ts'
import { testEngines } from '../../store/test-stores.ts'
import { createPersonSource } from './agent-source.ts'
import { HUMAN_ID } from './human-id.ts'

describe.each(testEngines())('People on $engine', ({ engine, createDatabase }) => {
  const openSource = async () => {
    const database = await createDatabase()
    const store = await openStore(database.options)
    const log = await openEventLog(store)
    const records = createSourceRecords(HUMAN_ID, store, createRecordChange(store, log))
    return {
      source: createPersonSource({ records, now: Date.now }),
      store,
      async dispose() {
        await log.close()
        await store.close()
        await database.dispose()
      },
    }
  }

  describeAgentSourceContract(`people on ${engine}`, openSource)

  test('[PE1] a person is made with the runtime of people, whatever the caller says, and is in teams', async () => {
    const { source, store, dispose } = await openSource()
    try {
      await store.teams.insert({ id: 'writers', name: 'Writers', createdAt: 1 })
      const robin = await source.createAgent({ name: 'Robin Hood', teamId: 'writers', participantKind: 'agent' })
      expect(robin).toMatchObject({ participantKind: 'human', runtime: HUMAN_ID, teamId: 'writers', sessionKey: null })
      expect(robin.id).toMatch(/^person-robin-hood-[0-9a-f]{6}$/)
      expect(await source.updateAgent(robin.id, { name: 'Rob', teamId: null })).toMatchObject({
        displayName: 'Rob',
        teamId: null,
      })
      await source.deleteAgent(robin.id)
      expect(await source.listAgents({ includeArchived: true })).toEqual([])
    } finally {
      await source.stop()
      await dispose()
    }
  })
})
