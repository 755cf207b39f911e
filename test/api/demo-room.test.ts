import { globSync } from 'node:fs'
import { beforeAll, expect, test, vi } from 'vitest'
import { oneServer } from '../one-server.ts'

const server = oneServer({ env: { CLAWBOO_LOG: 'error' } })
const client = () => server().client
const TIME = 90_000

let demo: { readonly teamId: string; readonly pip: string; readonly moss: string; readonly wren: string }

beforeAll(async () => {
  const { teamId, agentIds } = await client().makeDemoTeam({})
  const [pip, moss, wren] = agentIds
  demo = { teamId, pip: pip!, moss: moss!, wren: wren! }
})

const read = () => client().readRoom({ query: { teamId: demo.teamId, limit: 200 } })

/** The posts of agents after a number, in order. */
async function heard(after = 0) {
  return (await read()).posts.filter(({ seq, author }) => seq > after && author.kind === 'agent')
}

const isSummary = ({ body }: { body: string }) => body.includes('Summary')

/** Waits until a summary mentions each text and nothing is active. Resolves to the agents' posts since the call. */
async function untilSummed(words: readonly string[], after = 0) {
  const isDone = async () => {
    const summaries = (await heard(after)).filter(isSummary).map(({ body }) => body)
    const isTold = (one: string) => summaries.some((body) => body.includes(`“${one}”`))
    return words.every(isTold) && (await read()).exchanges.length === 0
  }
  await vi.waitUntil(isDone, { timeout: TIME, interval: 50 })
  return heard(after)
}

const say = (body: string, to?: string[]) =>
  client().startExchange({ body: { teamId: demo.teamId, body, ...(to && { to }) } })

test('[NR297] one message to the demo team leads to a handoff, a task, a file, evidence and a summary', async () => {
  const words = 'Write a plan for a small garden party'
  const { exchange } = await say(words)
  const posts = await untilSummed([words])
  expect(posts.map(({ author }) => author)).toEqual(
    [demo.pip, demo.moss, demo.pip].map((id) => ({ kind: 'agent', id })),
  )
  const [handoff, report, summary] = posts.map(({ body }) => body)
  expect(posts[0]).toMatchObject({ to: [demo.moss], kind: 'peer' })
  expect(handoff).toContain(`“${words}”`)
  expect(report).toContain('plan-small-garden-party.md')
  for (const body of [handoff, report]) expect(body).toContain('scripted, not an AI')
  expect(summary).toMatch(/is in review\. Evidence recorded by the server: .*the changed files.*the check/)

  const titles = async (agentId: string) =>
    (await client().listAgentSessions({ params: { agentId } })).sessions.map(({ title }) => title)
  expect(await titles(demo.pip)).toEqual(['Room of Demo team'])

  const { taskId } = (await read()).posts.find((post) => post.kind === 'system' && post.taskId !== null)!
  const { task, evidence, attempts } = await client().getTask({ params: { taskId: taskId! } })
  expect(task).toMatchObject({ status: 'in_review', changesFiles: true, assignee: { kind: 'agent', id: demo.moss } })
  expect((await titles(demo.moss)).toSorted()).toEqual(['Room of Demo team', `Task: ${task.title}`])
  expect(evidence.map(({ kind }) => kind).toSorted()).toEqual(['check', 'diff'])
  expect(attempts).toMatchObject([{ state: 'completed' }])
  const { turns, bound, reason } = await client().getExchange({ params: { exchangeId: exchange.id } })
  expect(turns).toBeLessThanOrEqual(bound)
  expect(reason).toBe('no_pending_obligation')
  const { runs } = await client().listRuns({ query: {} })
  expect(runs.filter(({ outcome }) => outcome !== 'completed')).toEqual([])
  expect((await client().listAttention({ query: { state: 'open' } })).items).toEqual([])
}, 120_000)

test('[NR298] without a project folder, two messages lead to two files, and the summaries report missing evidence', async () => {
  const body = { folder: null, checkCommand: null }
  await client().setTeamProject({ params: { teamId: demo.teamId }, body })
  const { head } = await read()
  const words = ['hi', 'What is the colour of the sea?']
  for (const one of words) await say(one)
  const posts = await untilSummed(words, head)
  expect(posts.filter(({ to }) => to.length > 0).map(({ to }) => to)).toEqual([[demo.wren], [demo.moss]])
  expect(posts.filter((post) => post.body.includes('in my own folder'))).toHaveLength(2)
  const summed = posts.filter(isSummary).map((post) => post.body)
  expect(summed.join('\n').match(/“hi”: its task is in review\. The server recorded no evidence/g)).toHaveLength(1)
  expect(globSync('runtimes/**/page-hi.md', { cwd: server().home })).toHaveLength(1)
}, 120_000)

test('[NR293] a teammate that a person mentions replies itself, and the leader stays quiet', async () => {
  const { head } = await read()
  const { exchange } = await say('Write a haiku about tea', [demo.wren])
  const isOver = async () =>
    (await client().getExchange({ params: { exchangeId: exchange.id } })).reason === 'no_pending_obligation'
  await vi.waitUntil(isOver, { timeout: TIME, interval: 50 })
  const posts = await heard(head)
  expect(posts.map(({ author }) => author)).toEqual([{ kind: 'agent', id: demo.wren }])
  expect(posts[0]!.body).toMatch(/“Write a haiku about tea”[\s\S]*haiku-tea\.md/)
}, 120_000)
