import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGrants } from '../../packages/server/src/access/grants.ts'
import { homeFiles } from '../../packages/server/src/home.ts'
import { newRun } from '../../packages/server/src/store/contract/runs-contract.ts'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { testSeed } from '../seed.ts'
import { removeHome, type ServerProcess, startServer } from '../server-process.ts'

let server: ServerProcess
let teamId: string
let robin: string
beforeAll(async () => {
  server = await startServer()
  teamId = (await api().createTeam({ body: { name: 'Garden' } })).team.id
  robin = (await api().createAgent({ body: { name: 'Robin', participantKind: 'human', teamId } })).id
})
afterAll(async () => {
  await server.stop()
  await removeHome(server.home)
})

const api = () => server.client
const ask = (title: string) =>
  api().createTask({ params: { teamId }, body: { title, assignee: { kind: 'person', id: robin } } })
const openItems = async () =>
  (await api().listAttention({ query: { state: 'open', limit: 500 } })).items.filter(({ kind }) => kind === 'task')
const itemOf = async (taskId: string) => {
  await expect.poll(async () => (await openItems()).filter((item) => item.subjectId === taskId).length).toBe(1)
  return (await openItems()).find((item) => item.subjectId === taskId)!
}
const answer = (itemId: string, given: 'accept' | 'answer' | 'done' | 'refuse', text?: string) =>
  api().answerAttention({ params: { itemId }, body: { answer: given, ...(text === undefined ? {} : { text }) } })

async function say(text: string) {
  await api().sendMessage({ params: { agentId: robin }, body: { text } })
  const matchingItems = async () => (await openItems()).filter(({ detail }) => detail.includes(text))
  await expect.poll(async () => (await matchingItems()).length).toBe(1)
  return (await matchingItems())[0]!
}

test('[PE2] creates a person and a Boo in the same source, each with a runtime of their kind', async () => {
  const person = await api().getAgent({ params: { agentId: robin } })
  expect(person).toMatchObject({ participantKind: 'human', runtime: 'human', teamId })
  const boo = await api().createAgent({ body: { name: 'Ada' } })
  expect(boo).toMatchObject({ participantKind: 'agent' })
  expect(boo.sourceId).toBe(person.sourceId)
  expect(boo.runtime).not.toBe(person.runtime)
  const params = { agentId: robin }
  expect(await api().updateAgent({ params, body: { emoji: '🌿' } })).toMatchObject({ id: robin, emoji: '🌿' })
  expect((await api().listRuntimes({})).runtimes.filter((one) => one.participantKind === 'human')).toHaveLength(1)
})

test('[PE14] accepts, answers and approves a person’s task over HTTP', async () => {
  const { id } = await ask('Water the ferns')
  const item = await itemOf(id)
  await answer(item.id, 'accept')
  await answer(item.id, 'answer', 'Half of them.')
  expect(await answer(item.id, 'done', 'All of them.')).toMatchObject({ state: 'answered', answer: 'done' })
  const { task, comments, evidence } = await api().getTask({ params: { taskId: id } })
  expect(task.status).toBe('done')
  expect(comments.map(({ body }) => body)).toEqual(['Half of them.', 'All of them.'])
  expect(evidence).toMatchObject([{ kind: 'sign-off', person: { name: 'Robin' } }])
  await expect(answer(item.id, 'done')).rejects.toMatchObject({ status: 409, code: 'attention_settled' })
})

test('[PE12] a task that a person accepted is still theirs after the server was killed and restarted', async () => {
  const { id } = await ask('Sow the peas')
  const item = await itemOf(id)
  await answer(item.id, 'accept')
  await server.kill()
  server = await startServer({ home: server.home })
  const { task, attempts } = await api().getTask({ params: { taskId: id } })
  expect([task.status, attempts.map(({ state }) => state)]).toEqual(['in_progress', ['running']])
  expect(await itemOf(id)).toMatchObject({ id: item.id, answers: ['answer', 'done', 'refuse'] })
  await answer(item.id, 'done')
})

test('[PE4] a message to a person creates an item, and its run contains the reply', async () => {
  const item = await say('Are you there?')
  expect(item).toMatchObject({ agentId: robin, runId: expect.any(String), subjectId: null })
  await answer(item.id, 'done', 'I am.')
  const runOf = async () => (await api().getRun({ params: { runId: item.runId! } })).run
  await expect.poll(async () => (await runOf()).state).toBe('ended')
  expect(await runOf()).toMatchObject({ outcome: 'completed', text: 'I am.', costUsd: null })
})

test('[PE6] a run’s question to a person is no longer open after its server was killed', async () => {
  const item = await say('Is anybody there?')
  await server.kill()
  server = await startServer({ home: server.home })
  const { items } = await api().listAttention({ query: { limit: 500 } })
  expect(items.find(({ id }) => id === item.id)).toMatchObject({ state: 'expired', answer: null })
})

test('[PE21] a run’s grant can answer neither a task nor an approval', async () => {
  const { id } = await ask('Decide')
  const item = await itemOf(id)
  const store = await openStore({ sqliteFile: homeFiles(server.home).database })
  try {
    await store.runs.insert(newRun('grant-run', { agentId: robin }))
    const tools = ['answer_attention']
    const binding = { runId: 'grant-run', agentId: robin, teamId, roomId: null, taskId: id, tools }
    const { secret } = await createGrants(store).issue(binding)
    const approval = await store.attention.insert({
      id: 'approval-1',
      kind: 'approval',
      agentId: robin,
      runId: 'grant-run',
      subjectId: 'a',
      title: 'May it?',
      detail: '',
      action: null,
      answers: ['allow-once', 'deny'],
      createdAt: 1,
      expiresAt: null,
    })
    for (const [itemId, given] of [
      [item.id, 'done'],
      [approval.id, 'allow-once'],
    ]) {
      const answered = await fetch(`${server.url}/api/attention/${itemId}/answer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ answer: given }),
      })
      expect([answered.status, await answered.json()]).toMatchObject([403, { error: { code: 'grant_refused' } }])
      expect(await store.attention.get(itemId!)).toMatchObject({ state: 'open', answer: null })
    }
  } finally {
    await store.close()
  }
  await answer(item.id, 'refuse', 'Not now.')
})

test('[PE17] a server killed at any moment starts with one item for each task that needs one', async () => {
  let state = testSeed
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (let round = 0; round < 6; round++) {
    const items = await openItems()
    const doings = items.map(({ id }, at) =>
      answer(id, (['accept', 'done', 'refuse', 'answer'] as const)[(at + round) % 4]!, `words ${round}`),
    )
    const making = Array.from({ length: 4 }, (_, n) => ask(`Round ${round}, task ${n}`))
    const over = Promise.allSettled([...doings, ...making])
    await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 25)))
    await server.kill()
    await over
    server = await startServer({ home: server.home })
    const { columns } = await api().readBoard({ params: { teamId } })
    const needed = columns
      .filter(({ status }) => status === 'todo' || status === 'in_progress')
      .flatMap(({ tasks }) => tasks)
      .filter(({ assignee }) => assignee?.kind === 'person')
    const shown = (await openItems()).map(({ subjectId }) => subjectId)
    expect(shown.sort(), `seed ${testSeed}`).toEqual(needed.map(({ id }) => id).sort())
  }
}, 120_000)
