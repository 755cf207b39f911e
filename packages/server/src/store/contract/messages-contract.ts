import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import type { NewAttentionItem } from '../repositories/runs/attention-repository.ts'
import type { NewMessage } from '../repositories/runs/messages-repository.ts'
import { sql } from '../sql.ts'
import { newAgent } from './agents-contract.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

const newMessage = (id: string, overrides: Partial<NewMessage> = {}): NewMessage => ({
  id,
  agentId: 'ada',
  sessionKey: 'main',
  text: `Say ${id}`,
  mode: 'steer',
  model: null,
  sender: 'operator',
  owner: 'home-1',
  createdAt: 100,
  ...overrides,
})

const newItem = (id: string, overrides: Partial<NewAttentionItem> = {}): NewAttentionItem => ({
  id,
  kind: 'approval',
  agentId: 'ada',
  runId: 'r1',
  subjectId: 'approval-1',
  title: 'May it?',
  detail: 'It wants to.',
  action: { tool: 'exec', command: 'rm x', cwd: '/w', reason: 'not known', mayAlwaysAllow: true },
  answers: ['allow-once', 'deny'],
  createdAt: 100,
  expiresAt: null,
  ...overrides,
})

/** The repositories of messages and attention items. */
export function describeMessages(createDatabase: CreateDatabase): void {
  describe('messages and attention', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      await subject.store.db.run(sql`DELETE FROM attention_items`)
      await subject.store.db.run(sql`DELETE FROM agents`)
      await subject.store.agents.insert(newAgent('ada'))
    })
    describeQueue(subject)
    describeChanges(subject)
    describeAttention(subject)
  })
}

type Subject = ReturnType<typeof useStore>
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

function describeQueue(subject: Subject): void {
  it('[ST117] a message’s id counts once, whichever server sends it, and positions grow', async () => {
    const { store } = subject
    const other = await openStore(subject.options)
    const sent = await Promise.all(
      [store, other, store, other].map(({ messages }, n) => messages.insert(newMessage('same', { text: `try ${n}` }))),
    )
    await other.close()
    expect(sent.filter(({ inserted }) => inserted)).toHaveLength(1)
    const kept = sent.find(({ inserted }) => inserted)!.message
    for (const { message } of sent) expect(message).toEqual(kept)
    expect(kept).toMatchObject({
      state: 'queued',
      attempts: 0,
      runId: null,
      verdict: null,
      promptId: null,
      notBefore: null,
      settledAt: null,
    })
    const positions: number[] = []
    for (const id of ['b', 'a', 'c']) positions.push((await store.messages.insert(newMessage(id))).message.position)
    expect(positions).toEqual([...positions].sort((one, two) => one - two))
    expect(new Set([kept.position, ...positions]).size).toBe(4)
    expect(ids(await store.messages.list('ada', { limit: 10 }))).toEqual(['same', 'b', 'a', 'c'])
    await expect(store.messages.insert(newMessage('d', { agentId: 'nobody' }))).rejects.toMatchObject({
      kind: 'foreign-key',
    })
  })
}

function describeChanges(subject: Subject): void {
  it('[ST118] messages change together and only from a given state', async () => {
    const { messages } = subject.store
    for (const id of ['a', 'b', 'c']) await messages.insert(newMessage(id))
    await messages.update(['c'], ['queued'], { state: 'withdrawn', settledAt: 7 })
    const changed = await messages.update(['c', 'b', 'a'], ['queued'], {
      state: 'delivering',
      verdict: 'started',
      runId: 'r1',
      promptId: 'p',
      attempts: 1,
      notBefore: 50,
    })
    expect(ids(changed)).toEqual(['a', 'b'])
    expect(changed[0]).toMatchObject({
      state: 'delivering',
      verdict: 'started',
      runId: 'r1',
      promptId: 'p',
      attempts: 1,
      notBefore: 50,
      reason: null,
    })
    expect(await messages.get('c')).toMatchObject({ state: 'withdrawn', settledAt: 7, runId: null })
    expect(await messages.update([], ['queued'], { state: 'failed' })).toEqual([])
    const returned = { state: 'queued', runId: null, promptId: null, notBefore: null, reason: 'again\0' } as const
    expect((await messages.update(['a'], ['delivering'], returned))[0]).toMatchObject({
      ...returned,
      reason: 'again\ufffd',
      attempts: 1,
    })
  })

  it('[ST118] messages list by conversation and state, and a server finds the messages that it has to deliver', async () => {
    const { messages } = subject.store
    await messages.insert(newMessage('a'))
    await messages.insert(newMessage('b', { sessionKey: 'side' }))
    await messages.insert(newMessage('c', { owner: 'home-2' }))
    await messages.insert(newMessage('d'))
    await messages.update(['a'], ['queued'], { state: 'delivering' })
    await messages.update(['d'], ['queued'], { state: 'delivered', settledAt: 9 })
    expect(ids(await messages.list('ada', { sessionKey: 'side', limit: 9 }))).toEqual(['b'])
    expect(ids(await messages.list('ada', { state: 'queued', limit: 9 }))).toEqual(['b', 'c'])
    expect(ids(await messages.list('ada', { limit: 2 }))).toEqual(['c', 'd'])
    expect(ids(await messages.waiting('home-1'))).toEqual(['a', 'b'])
    expect(await messages.get('nothing')).toBeNull()
  })

  it('[ST122] removing an agent removes its messages and attention items', async () => {
    const { agents, messages, attention } = subject.store
    await messages.insert(newMessage('a'))
    await attention.insert(newItem('i'))
    await attention.insert(newItem('j', { agentId: null }))
    await agents.remove('source-a', 'ada')
    expect(await messages.get('a')).toBeNull()
    expect(await attention.get('i')).toBeNull()
    expect(await attention.get('j')).toMatchObject({ agentId: null, agentName: null })
  })
}

function describeAttention(subject: Subject): void {
  it('[ST119] only one of several answers counts, and a late answer does not', async () => {
    const { store } = subject
    const { attention } = store
    const opened = await attention.insert(newItem('i'))
    expect(opened).toEqual({
      ...newItem('i'),
      agentName: 'Name of ada',
      state: 'open',
      answer: null,
      answeredBy: null,
      settledAt: null,
    })
    const other = await openStore(subject.options)
    const answers = await Promise.all(
      [attention, other.attention, attention].map((repository, n) =>
        repository.answer('i', { answer: 'deny', by: `person-${n}`, at: 200 }),
      ),
    )
    await other.close()
    const counted = answers.filter((item) => item !== null)
    expect(counted).toMatchObject([{ state: 'answered', answer: 'deny', settledAt: 200 }])
    expect(await attention.get('i')).toEqual(counted[0])
    await attention.insert(newItem('late', { expiresAt: 150 }))
    expect(await attention.answer('late', { answer: 'deny', by: 'me', at: 150 })).toBeNull()
    expect(await attention.answer('nothing', { answer: 'deny', by: 'me', at: 150 })).toBeNull()
    expect(ids(await attention.settledAmong(['i', 'late', 'nothing']))).toEqual(['i'])
    expect(await attention.settledAmong([])).toEqual([])
  })

  it('[ST120] open items come first, oldest first, then settled items, newest first', async () => {
    const { attention } = subject.store
    for (const [n, id] of ['b', 'a', 'c', 'd'].entries()) await attention.insert(newItem(id, { createdAt: n }))
    await attention.answer('b', { answer: 'deny', by: 'me', at: 50 })
    await attention.answer('a', { answer: 'deny', by: 'me', at: 60 })
    expect(ids(await attention.list({ limit: 9 }))).toEqual(['c', 'd', 'a', 'b'])
    expect(ids(await attention.list({ limit: 1, state: 'open' }))).toEqual(['c'])
    expect(ids(await attention.list({ limit: 9, state: 'settled' }))).toEqual(['a', 'b'])
  })

  it('[ST120] items expire at their time, and approvals when their run ends', async () => {
    const { attention } = subject.store
    await attention.insert(newItem('due', { expiresAt: 100, runId: null }))
    await attention.insert(newItem('later', { expiresAt: 101, runId: null }))
    await attention.insert(newItem('asked', { runId: 'r9' }))
    await attention.insert(newItem('told', { runId: 'r9', kind: 'limit' }))
    expect(ids(await attention.expire({ dueAt: 100 }, 100))).toEqual(['due'])
    expect(await attention.expire({ runIds: ['r9', 'r10'] }, 110)).toMatchObject([
      { id: 'asked', state: 'expired', answer: null, settledAt: 110 },
    ])
    expect(await attention.expire({ runIds: [] }, 110)).toEqual([])
    expect(ids(await attention.list({ state: 'open', limit: 9 }))).toEqual(['told', 'later'].sort())
  })
}
