import { fork } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HostileResult, HostileTry } from './test-hostile-child.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const BODY = 'forged'

function toRoom(name: string, query: string, headers: Record<string, string>, args: object, tool = 'team_chat_post') {
  const params = { name: tool, arguments: tool === 'team_chat_post' ? { body: BODY, ...args } : args }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  return { name, method: 'POST', path: `/api/mcp/teamchat${query}`, headers, body } satisfies HostileTry
}

function fromChild(tries: readonly HostileTry[]): Promise<HostileResult[]> {
  const child = fork(join(import.meta.dirname, 'test-hostile-child.ts'), { env: {}, execArgv: [] })
  return new Promise((resolve, reject) => {
    child.once('message', (results) => resolve(results as HostileResult[]))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.send({ url: server().url, tries })
  })
}

const refusals = async () =>
  (await server().records.store.audit.list({ limit: 500 }))
    .filter(({ action }) => action === 'grant.refuse')
    .reverse()
    .map(({ detail }) => (detail as { because: string }).because)

it('[TC79] refuses to post as another author, in another room, as a user, as the system or after the end, and records each attempt', async () => {
  const { startRun, records } = server()
  const [own, ofOthers, ended] = [
    await startRun('ada', 'writers'),
    await startRun('eve', 'others'),
    await startRun('bob', 'writers'),
  ]
  await ended.end()
  const mine = bearer(own.secret)
  const refused: [HostileTry, number, string][] = [
    [toRoom('another author in the address', '?postAuthorAgentId=bob', mine, {}), 403, 'other_agent'],
    [toRoom('another room in the address', '?roomTeamId=others', mine, {}), 403, 'other_team'],
    [
      toRoom('a grant of another team', '?roomTeamId=writers&postAuthorAgentId=ada', bearer(ofOthers.secret), {}),
      ...([403, 'other_team'] as const),
    ],
    [toRoom('the address alone', '?roomTeamId=writers&postAuthorAgentId=ada', {}, {}), 401, 'no_grant'],
    [toRoom('after the end', '', bearer(ended.secret), {}), 401, 'run_ended'],
    [toRoom('after the end, in the address', `?grant=${ended.secret}`, {}, {}), 401, 'run_ended'],
    ...['roomId', 'teamId', 'agentId', 'author', 'credential', 'turnKey', 'chainId'].map(
      (name): [HostileTry, number, string] => [toRoom(name, '', mine, { [name]: 'bob' }), 200, 'unknown_argument'],
    ),
    ...['user', 'system', 'peer'].map((kind): [HostileTry, number, string] => [
      ...([toRoom(`kind ${kind}`, '', mine, { kind }), 200, 'unknown_argument'] as const),
    ]),
    [toRoom('isUser', '', mine, { isUser: true }), 200, 'unknown_argument'],
    [toRoom('reading as', '', mine, { exceptAuthor: 'bob' }, 'team_chat_subscribe'), 200, 'unknown_argument'],
    [toRoom('reading elsewhere', '', mine, { roomId: 'team:others' }, 'team_chat_subscribe'), 200, 'unknown_argument'],
  ]
  const results = await fromChild(refused.map(([one]) => one))
  expect(results.map(({ name, status }) => [name, status])).toEqual(refused.map(([{ name }, status]) => [name, status]))
  for (const { status, body } of results)
    if (status === 200) expect(JSON.parse(body)).toMatchObject({ result: { isError: true } })
  expect(await refusals()).toEqual(refused.map(([, , because]) => because))
  for (const room of ['team:writers', 'team:others']) expect(await records.store.posts.after(room, 0, 9)).toEqual([])
})

it('[TC79] ignores a claimed author: the post has the grant’s author and names the grant', async () => {
  const { startRun, records } = server()
  const own = await startRun('ada', 'writers')
  const before = (await refusals()).length
  const [{ body }] = (await fromChild([
    toRoom('as Bob', '?roomTeamId=writers&postAuthorAgentId=ada', bearer(own.secret), { authorAgentId: 'bob' }),
  ])) as [HostileResult]
  const { seq } = JSON.parse(body).result.structuredContent.post as { seq: number }
  const [post] = await records.store.posts.after('team:writers', seq - 1, 1)
  expect(post).toMatchObject({ author: { kind: 'agent', id: 'ada' }, kind: 'peer', runId: own.runId })
  const issued = (await records.store.audit.list({ limit: 500 })).find(
    ({ action, runId }) => action === 'grant.issue' && runId === own.runId,
  )
  expect(post!.credential).toBe(issued!.subject)
  expect((await refusals()).slice(before)).toEqual(['other_author'])
})
