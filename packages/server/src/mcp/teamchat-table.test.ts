import { ClawbooError } from '@clawboo/core'
import { expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import { createTeamchatTable } from './tables/teamchat-table.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const signal = new AbortController().signal
const inRoom = (agentId: string, roomId: string | null = 'team:writers'): Caller => ({
  kind: 'run',
  runId: `chat-${agentId}`,
  agentId,
  teamId: 'writers',
  roomId,
  taskId: null,
  tools: ['team_chat_post', 'team_chat_subscribe'],
})
const call = async (caller: Caller, name: string, args: Record<string, unknown> = {}) =>
  (await (await server().servers.attach(caller)).call({ name, args, signal })) as {
    readonly isError?: true
    readonly content: { readonly text: string }[]
    readonly structuredContent: Record<string, unknown>
  }

it('[MC27] a post is in the grant’s room under the grant’s name, and no argument changes either', async () => {
  const { structuredContent } = await call(inRoom('ada'), 'team_chat_post', { text: ' Hello ' })
  expect(structuredContent).toMatchObject({ post: { author: 'agent:ada', text: 'Hello', isUser: false } })
  expect(server().tables.posts.at(-1)).toMatchObject({ roomId: 'team:writers', author: 'agent:ada' })
  for (const name of ['authorAgentId', 'roomId', 'teamId', 'kind', 'isUser', 'author']) {
    const refused = await call(inRoom('ada'), 'team_chat_post', { text: 'x', [name]: 'bob' })
    expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining(name)])
  }
  expect(server().tables.posts).toHaveLength(1)
})

it('[MC27] without a room, as the operator, and where there are no rooms, the reason is told', async () => {
  for (const name of ['team_chat_post', 'team_chat_subscribe']) {
    const args = name === 'team_chat_post' ? { text: 'x' } : {}
    expect((await call(inRoom('ada', null), name, args)).content[0]!.text).toBe(
      'this run is in no room (room_not_found)',
    )
    expect((await call({ kind: 'operator' }, name, args)).content[0]!.text).toContain('the operator uses the page')
    const tool = createTeamchatTable(null).tools.find((one) => one.name === name)!
    await expect(tool.handler(inRoom('ada'), tool.input.parse(args), signal)).rejects.toThrow(ClawbooError)
  }
})

it('[MC28] posts are read behind a cursor, without one’s own, and never as a user’s word', async () => {
  for (let n = 0; n < 30; n++)
    await call(inRoom(n % 3 ? 'bob' : 'ada'), 'team_chat_post', { text: `${n} ${'x'.repeat(4_000)}` })
  const read: string[] = []
  let since = 0
  for (let hasMore = true; hasMore; ) {
    const { structuredContent } = await call(inRoom('ada'), 'team_chat_subscribe', { since, limit: 50 })
    const page = structuredContent as { posts: { text: string; isUser: boolean }[]; next: number; hasMore: boolean }
    expect(structuredContent).toMatchObject({ notice: expect.stringContaining('not a user’s word') })
    expect(JSON.stringify(page).length).toBeLessThan(50_000)
    expect(page.posts.every(({ isUser }) => isUser === false)).toBe(true)
    read.push(...page.posts.map(({ text }) => text.split(' ')[0]!))
    ;({ next: since, hasMore } = page)
  }
  expect(read).toEqual(
    Array.from({ length: 30 }, (_, n) => n)
      .filter((n) => n % 3)
      .map(String),
  )
  expect(since).toBe(server().tables.posts.length)
})
