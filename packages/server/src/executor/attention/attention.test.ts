import type { AttentionItem } from '@clawboo/core/executor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actAs } from '../../access/actor.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { testEngines } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { type Attention, createAttention, type OpenAttention } from './attention.ts'

const question: OpenAttention = {
  kind: 'approval',
  agentId: 'ada',
  runId: 'r1',
  subjectId: 'approval-1',
  title: 'May Ada run this?',
  detail: 'The command is not on the list.',
  action: { tool: 'exec', command: 'rm -r build', cwd: '/w', reason: 'not on the list', mayAlwaysAllow: true },
  answers: ['allow-once', 'allow-always', 'deny'],
  expiresAt: null,
}

describe.each(testEngines())('attention on $engine', ({ engine, createDatabase }) => {
  const records = useRecords(createDatabase, engine === 'postgres' ? 2 : 1)
  let clock = 1000
  const servers: Attention[] = []
  beforeAll(async () => {
    await records()[0]!.store.agents.insert(newAgent('ada'))
    for (const part of records()) servers.push(createAttention({ ...part, now: () => clock }))
  })
  afterAll(() => {
    for (const attention of servers) attention.close()
  })
  const here = () => servers[0]!

  it('[RU20] an opened item is stored with an event and without an audit entry', async () => {
    const opened = await here().open(question)
    expect(opened).toMatchObject({ ...question, agentName: 'Name of ada', state: 'open', createdAt: 1000 })
    expect(await here().list({ state: 'open', limit: 9 })).toEqual([opened])
    expect((await records()[0]!.events('attention-changed')).at(-1)?.item).toEqual(opened)
    expect(await records()[0]!.audit()).toEqual([])
    await here().answer(opened.id, 'deny', 'operator')
  })

  it('[RU21] an item is answered once, and the first answer is stored and audited with its actor', async () => {
    const { id } = await here().open(question)
    const received: AttentionItem[] = []
    const stop = here().onAnswer((item) => void received.push(item))
    const tries = await Promise.allSettled(
      ['allow-once', 'deny', 'allow-always'].map((answer) =>
        actAs({ name: 'operator' }, () => here().answer(id, answer as 'deny')),
      ),
    )
    stop()
    const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(won).toMatchObject([{ state: 'answered', answeredBy: 'operator', settledAt: 1000 }])
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'attention_settled' })
    }
    expect(received).toEqual(won)
    expect((await records()[0]!.events('attention-changed')).at(-1)?.item).toEqual(won[0])
    expect((await records()[0]!.audit()).at(-1)).toMatchObject({
      actor: 'operator',
      action: 'attention.answer',
      subject: id,
      detail: { answer: won[0]?.answer, kind: 'approval', agentId: 'ada', runId: 'r1' },
    })
  })

  it('[RU22] an answer that is not offered is refused, and the item stays open', async () => {
    const { id } = await here().open(question)
    await expect(here().answer(id, 'retry')).rejects.toMatchObject({
      code: 'answer_refused',
      details: { answers: question.answers },
    })
    await expect(here().answer('nothing', 'deny')).rejects.toMatchObject({ code: 'attention_not_found' })
    expect((await here().answer(id, 'deny')).answeredBy).toBe('server')
  })

  it('[RU24] an overdue item expires, cannot be answered, and calls the expiry listeners', async () => {
    const expired = new Promise<AttentionItem>((resolve) => here().onExpire(resolve))
    const opened = await here().open({ ...question, expiresAt: clock + 20 })
    clock += 20
    await expect(here().answer(opened.id, 'allow-once')).rejects.toMatchObject({ code: 'attention_settled' })
    expect(await expired).toMatchObject({ id: opened.id, state: 'expired', answer: null })
    expect((await here().list({ limit: 1, state: 'settled' }))[0]?.id).toBe(opened.id)
    expect((await records()[0]!.events('attention-changed')).at(-1)?.item).toMatchObject({ state: 'expired' })
  })

  it('[RU24] the approvals of a run expire with it, and its other items stay', async () => {
    const asked = await here().open({ ...question, runId: 'r7' })
    const limitItem = await here().open({ ...question, runId: 'r7', kind: 'limit', action: null, answers: ['dismiss'] })
    const expired = new Promise<AttentionItem>((resolve) => here().onExpire(resolve))
    await here().expireOfRuns(['r7'])
    await here().expireOfRuns([])
    expect((await expired).id).toBe(asked.id)
    expect((await here().list({ state: 'open', limit: 9 })).map(({ id }) => id)).toEqual([limitItem.id])
    await here().answer(limitItem.id, 'dismiss')
  })

  it('[RU25] a failing listener affects neither the answer nor the other listeners', async () => {
    const { id } = await here().open(question)
    const received: string[] = []
    const stops = [
      here().onAnswer(() => {
        throw new Error('at once')
      }),
      here().onAnswer(async () => {
        throw new Error('later')
      }),
      here().onAnswer((item) => void received.push(item.id)),
    ]
    await here().answer(id, 'deny')
    for (const stop of stops) stop()
    expect(received).toEqual([id])
    await expect.poll(() => records()[0]!.lines.join('')).toMatch(/at once[\s\S]*later/)
  })

  it('[RU23] the answer to a watched approval calls the listeners of the server that watches it, even if the answer came just before', async () => {
    const other = createAttention({ ...records()[0]!, now: () => clock })
    const received: AttentionItem[] = []
    other.onAnswer((item) => void received.push(item))
    const [early, late] = [await here().open(question), await here().open(question)]
    const woken = Promise.withResolvers<void>()
    const stop = records()[0]!.store.db.listen('clawboo_attention', woken.resolve)
    const answered = [await here().answer(early.id, 'deny')]
    await woken.promise
    stop()
    await other.watch([early, late])
    await expect.poll(() => received).toEqual(answered)
    answered.push(await here().answer(late.id, 'allow-once'))
    await expect.poll(() => received).toEqual(answered)
    await other.watch([])
    expect(received).toEqual(answered)
    other.close()
  })

  it.runIf(engine === 'postgres')(
    '[RU23] the answer to an approval reaches the server that asked exactly once, whichever server received the answer',
    async () => {
      const received: string[] = []
      const reached = new Promise<AttentionItem>((resolve) => {
        servers[0]!.onAnswer((item) => {
          received.push(`here ${item.id}`)
          resolve(item)
        })
      })
      servers[1]!.onAnswer((item) => void received.push(`there ${item.id}`))
      const asked = await servers[0]!.open(question)
      await servers[1]!.answer(asked.id, 'allow-always', 'operator')
      expect(await reached).toMatchObject({ id: asked.id, answer: 'allow-always', answeredBy: 'operator' })
      const messageItem = await servers[0]!.open({ ...question, kind: 'message', answers: ['retry', 'dismiss'] })
      await servers[1]!.answer(messageItem.id, 'retry', 'operator')
      const last = await servers[0]!.open(question)
      await servers[0]!.answer(last.id, 'deny', 'operator')
      expect(received).toEqual([`here ${asked.id}`, `there ${messageItem.id}`, `here ${last.id}`])
    },
  )
})
