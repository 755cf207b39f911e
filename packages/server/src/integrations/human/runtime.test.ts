import { describeRuntimeAdapterContract, type RuntimeAdapterFixture } from '@clawboo/core/contract'
import { endsRun, NO_CAPABILITIES, type RuntimeAdapter, type RuntimeEvent } from '@clawboo/core/executor'
import { type AgentRecord, OWN_SOURCE_ID } from '@clawboo/core/registry'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Attention, createAttention } from '../../executor/attention/attention.ts'
import { createPersonRequests } from '../../executor/people/person-requests.ts'
import { NO_FILES } from '../../executor/run/test-run-inputs.ts'
import { openEventLog } from '../../live/event-log.ts'
import { createLog } from '../../log.ts'
import { createRecordChange } from '../../registry/record-change.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { openStore, type Store } from '../../store/open-store.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { HUMAN_ID } from './human-id.ts'
import { createPersonRuntime } from './runtime.ts'
import { playPerson } from './test-person.ts'

async function openPeople() {
  const database = await createSqliteDatabase()
  const store = await openStore(database.options)
  const events = await openEventLog(store)
  const attention = createAttention({
    store,
    record: createRecordChange(store, events),
    log: createLog('error', () => {}),
  })
  const adapter = createPersonRuntime({ people: createPersonRequests(attention), now: Date.now })
  const person = (id: string) =>
    store.agents.insert(newAgent(id, { sourceId: OWN_SOURCE_ID, participantKind: 'human', runtime: HUMAN_ID }))
  return {
    ...{ store, attention, adapter },
    robin: await person('robin'),
    kim: await person('kim'),
    async dispose() {
      attention.close()
      await events.close()
      await store.close()
      await database.dispose()
    },
  }
}

describeRuntimeAdapterContract('people', async (): Promise<RuntimeAdapterFixture> => {
  const opened = await openPeople()
  const player = playPerson(opened.store, opened.attention)
  return {
    adapter: opened.adapter,
    claims: NO_CAPABILITIES,
    agent: opened.robin,
    otherAgent: opened.kim,
    prompt: player.prompt,
    releaseTools: async () => player.release(),
    priceKnown: false,
    seenByModel: () => player.seen,
    async dispose() {
      await player.close()
      await opened.dispose()
    },
  }
})

let store: Store
let attention: Attention
let adapter: RuntimeAdapter
let robin: AgentRecord
let dispose: () => Promise<void>
let runs = 0
beforeAll(async () => {
  ;({ store, attention, adapter, robin, dispose } = await openPeople())
})
afterAll(async () => {
  await adapter.dispose?.()
  await dispose()
})

/** Starts a run for Robin and collects its events. */
async function ask(text: string) {
  const runId = `run-${++runs}`
  const handle = await adapter.start(
    { agent: robin, files: NO_FILES, sessionKey: 'main', prompt: { id: `prompt-${runs}`, text } },
    { runId, guard: { mayCallModel: async () => null }, resume: null, home: null, folder: null },
  )
  const events: RuntimeEvent[] = []
  const read = (async () => {
    for await (const event of adapter.events(handle)) events.push(event)
    return events.findLast(endsRun)
  })()
  await expect.poll(() => store.attention.openTasks().then((items) => items.length)).toBe(1)
  const [item] = await store.attention.openTasks()
  const eventTypes = () => events.map((event) => (event.type === 'status' ? event.state : event.type))
  const answer = (kind: 'accept' | 'answer' | 'done' | 'refuse', words = '') =>
    attention.answer(item!.id, kind, 'operator', words)
  return { handle, item: item!, events, eventTypes, answer, end: () => read }
}

it('[PE4] a run is one item with the prompt as its text, and it reports no cost', async () => {
  const run = await ask('Water the ferns')
  expect(run.item).toMatchObject({
    ...{ kind: 'task', agentId: 'robin', runId: run.handle.runId, subjectId: null, detail: 'Water the ferns' },
    answers: ['accept', 'answer', 'done', 'refuse'],
    task: { teamId: null, askedOf: 'Name of robin' },
  })
  await run.answer('done', 'They are wet.')
  expect(await run.end()).toMatchObject({ type: 'done', outcome: 'completed', text: 'They are wet.' })
  expect(run.eventTypes()).toEqual(['started', 'prompt-delivered', 'text-delta', 'done'])
})

it('[PE5] answers become events in order, and the last one settles the item', async () => {
  const run = await ask('Look at it')
  expect(await run.answer('answer', 'Soon.')).toMatchObject({ state: 'open' })
  await run.answer('accept')
  await run.answer('accept')
  await run.answer('answer', 'Looked.')
  await expect(run.answer('answer', '  ')).rejects.toMatchObject({ code: 'request_invalid' })
  expect(await run.answer('refuse', 'It is too dark.')).toMatchObject({ state: 'answered', answer: 'refuse' })
  expect(await run.end()).toMatchObject({ type: 'error', reason: 'refused', message: 'It is too dark.' })
  expect(run.eventTypes().slice(2)).toEqual([
    'text-delta',
    'tool-call',
    'tool-result',
    'tool-call',
    'tool-result',
    'error',
  ])
  await expect(run.answer('done')).rejects.toMatchObject({ code: 'attention_settled' })
})

it('[PE6] an abort and a disposed runtime withdraw the item, and the item of a dead run expires', async () => {
  const run = await ask('Wait')
  await adapter.abort(run.handle)
  expect(await run.end()).toMatchObject({ type: 'done', outcome: 'aborted' })
  expect((await store.attention.get(run.item.id))?.state).toBe('expired')
  const dead = await ask('Wait again')
  await attention.expireOfRuns([dead.handle.runId])
  expect((await store.attention.get(dead.item.id))?.state).toBe('expired')
  await adapter.abort(dead.handle)
  const last = await ask('Wait for ever')
  await adapter.dispose!()
  expect(await last.end()).toMatchObject({ outcome: 'aborted', reason: 'server_stopping' })
  expect(await store.attention.openTasks()).toEqual([])
})
