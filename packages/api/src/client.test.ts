import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from './client.ts'

const seen: { method?: string; url?: string; authorization?: string; body: string }[] = []
let reply: { status: number; body: string } = { status: 200, body: '{}' }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  seen.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body })
  response.writeHead(reply.status).end(reply.body)
})
let baseUrl: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('[AP5] the client fills in and encodes path and query, and sends token and body', async () => {
  const client = createClient({ baseUrl, token: 'secret' })
  await client.updateAgent({ params: { agentId: 'a/b?c' }, body: { name: 'Ada' } })
  await client.listAgents({ query: { text: 'a&b', team: undefined } })
  expect(seen).toEqual([
    { method: 'PATCH', url: '/api/agents/a%2Fb%3Fc', authorization: 'Bearer secret', body: '{"name":"Ada"}' },
    { method: 'GET', url: '/api/agents?text=a%26b', authorization: 'Bearer secret', body: '' },
  ])
})

test('[AP5] an error response becomes an ApiError with its code and details', async () => {
  reply = {
    status: 409,
    body: JSON.stringify({ error: { code: 'agent_name_taken', message: 'taken', details: { field: 'name' } } }),
  }
  await expect(createClient({ baseUrl }).listTeams({})).rejects.toMatchObject({
    status: 409,
    code: 'agent_name_taken',
    details: { field: 'name' },
  })
})

test('[AP5] an unreadable response and a missing response have their own codes', async () => {
  reply = { status: 502, body: '<html>' }
  await expect(createClient({ baseUrl }).listTeams({})).rejects.toMatchObject({ status: 502, code: 'unreadable' })
  reply = { status: 500, body: '{}' }
  await expect(createClient({ baseUrl }).listTeams({})).rejects.toMatchObject({ status: 500, code: 'unreadable' })
  await expect(createClient({ baseUrl: 'http://127.0.0.1:1' }).listTeams({})).rejects.toMatchObject({
    status: 0,
    code: 'network',
  })
})
