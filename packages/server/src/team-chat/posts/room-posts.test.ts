import { POST_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSoak, testSeed } from '../../../../../test/seed.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { testEngines } from '../../store/test-stores.ts'
import { POST_CHARACTERS } from './append-post.ts'
import { createRoomPosts } from './room-posts.ts'
import { type TestRoom, useRooms } from './test-rooms.ts'

const seeded = `seed ${testSeed}`
const OPERATOR = { kind: 'operator' } as const
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

describe.each(testEngines())('The posts of a room, on $engine', ({ createDatabase }) => {
  const openRoom = useRooms(createDatabase, 2)

  it('[TC73] the run’s credential decides author, team, room and kind of its posts', async () => {
    const { posts, ada, bob, roomId, teamId } = await openRoom()
    const forged = { body: 'x', kind: 'user', author: { kind: 'person', id: 'p' }, roomId: 'team:other', hops: -5 }
    const post = await posts.byRun({ ...ada, taskId: 't1', credential: 'grant-1' }, forged)
    expect(post).toEqual({
      roomId,
      teamId,
      seq: 1,
      id: post.id,
      author: { kind: 'agent', id: ada.agentId },
      kind: 'peer',
      body: 'x',
      to: [],
      chainId: post.id,
      hops: 0,
      runId: ada.runId,
      taskId: 't1',
      credential: 'grant-1',
      turnKey: null,
      createdAt: post.createdAt,
    })
    expect((await posts.byRun(bob, { body: 'y' })).seq).toBe(2)
  })

  it('[TC74] the operator and the team’s people post as users, the server posts as the system, and no author can pose as another', async () => {
    const { posts, records, ada, personId, teamId } = await openRoom()
    expect(await posts.byPerson(OPERATOR, teamId, { body: 'Begin' })).toMatchObject({
      kind: 'user',
      author: { kind: 'person', id: 'operator' },
      credential: 'operator',
      hops: 0,
      runId: null,
    })
    expect(await posts.byPerson({ kind: 'person', id: personId }, teamId, { body: 'Hello' })).toMatchObject({
      kind: 'user',
      author: { kind: 'person', id: personId },
      credential: 'operator',
    })
    expect(await posts.byServer(teamId, { body: 'Moved', taskId: 't' })).toMatchObject({
      kind: 'system',
      author: { kind: 'system' },
      credential: 'server',
      chainId: null,
      taskId: 't',
    })
    const elsewhere = newAgent(`far-${teamId}`, { participantKind: 'human' })
    await records.store.agents.insert(elsewhere)
    for (const id of [ada.agentId, elsewhere.id, 'nobody'])
      await expect(posts.byPerson({ kind: 'person', id }, teamId, { body: 'x' })).rejects.toMatchObject({
        code: 'agent_not_found',
      })
  })

  it('[TC61] the first post creates the room; a missing or removed team has none', async () => {
    const { posts, records, ada, roomId, teamId } = await openRoom()
    expect(await posts.after(roomId, { seq: 0, limit: 9 })).toEqual({ posts: [], next: 0, head: 0, hasMore: false })
    expect(await records.store.rooms.get(roomId)).toBeNull()
    await posts.byRun(ada, { body: 'x' })
    await records.store.teams.remove(teamId)
    for (const gone of [teamId, 'none']) {
      await expect(posts.byRun({ ...ada, teamId: gone }, { body: 'x' })).rejects.toMatchObject({
        code: 'team_not_found',
      })
      const room = `team:${gone}`
      await expect(posts.after(room, { seq: 0, limit: 9 })).rejects.toMatchObject({ code: 'room_not_found' })
      await expect(posts.before(room, { seq: null, limit: 9 })).rejects.toMatchObject({ code: 'room_not_found' })
    }
    await expect(posts.after('nothing', { seq: 0, limit: 9 })).rejects.toMatchObject({ code: 'room_not_found' })
  })

  it('[TC63] a body is not blank, has whole characters, no NUL and at most 32,000 characters', async () => {
    const { posts, ada, teamId } = await openRoom()
    for (const body of ['', ' \n\t', 'x'.repeat(POST_CHARACTERS + 1)]) {
      await expect(posts.byRun(ada, { body })).rejects.toMatchObject({ code: 'request_invalid' })
      await expect(posts.byPerson(OPERATOR, teamId, { body })).rejects.toMatchObject({ code: 'request_invalid' })
    }
    const whole = 'é'.repeat(POST_CHARACTERS)
    expect((await posts.byRun(ada, { body: whole })).seq).toBe(1)
    expect((await posts.byRun(ada, { body: 'a\0b\ud800c\r\n🦊' })).body).toBe('a\ufffdb\ufffdc\r\n🦊')
    const mediated = await posts.byRun({ ...ada, credential: 'mediated' }, { body: `${whole}!` })
    expect([mediated.body.length, mediated.body.at(-1)]).toEqual([POST_CHARACTERS, '…'])
    await expect(posts.byRun({ ...ada, credential: 'mediated' }, { body: ' ' })).rejects.toMatchObject({
      code: 'request_invalid',
    })
  })

  it('[TC64] a post with a turn key is stored once, however often and by whichever server it is repeated', async () => {
    const { servers, ada, bob, roomId } = await openRoom()
    const tries = upTo(6).map((n) =>
      servers[n % 2]!.posts.byRun(ada, { body: `Try ${n}`, turnKey: `${ada.runId}:turn` }),
    )
    const made = await Promise.all(tries)
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await servers[1]!.posts.byRun(ada, { body: 'Later', turnKey: `${ada.runId}:turn` })).toEqual(made[0])
    await servers[0]!.posts.byRun(bob, { body: 'Other', turnKey: `${bob.runId}:turn` })
    const { posts } = await servers[0]!.posts.after(roomId, { seq: 0, limit: 9 })
    expect(posts.map(({ seq }) => seq)).toEqual([1, 2])
    const events = await servers[0]!.records.events('team-chat-posted')
    expect(events.filter(({ post }) => post.roomId === roomId)).toHaveLength(2)
  })

  it('[TC72] every post is in the event log once, in order, with a shortened body and its credential', async () => {
    const { posts, records, ada, roomId, teamId } = await openRoom()
    const long = 'x'.repeat(POST_EVENT_CHARACTERS + 1)
    const made = [await posts.byRun(ada, { body: long }), await posts.byServer(teamId, { body: 'short' })]
    const announced = (await records.events('team-chat-posted')).map(({ post }) => post)
    const { turnKey: _, ...first } = made[0]!
    expect(announced.filter((post) => post.roomId === roomId)).toEqual([
      { ...first, body: `${'x'.repeat(POST_EVENT_CHARACTERS - 1)}…` },
      expect.objectContaining({ seq: 2, body: 'short', credential: 'server' }),
    ])
  })

  it('[TC75] a post can be addressed only to members of the team, by id or name', async () => {
    const { posts, records, ada, bob, teamId } = await openRoom()
    const to = async (...wanted: string[]) => (await posts.byRun(ada, { body: 'x', to: wanted })).to
    expect(await to(bob.agentId, '@bob', 'BOB', 'Eve', ada.agentId)).toEqual([
      bob.agentId,
      bob.agentId.replace('bob', 'eve'),
      ada.agentId,
    ])
    const lead = newAgent(`lead-${teamId}`, { name: 'Zero' })
    await records.store.agents.insert(lead)
    await expect(to('Zero')).rejects.toMatchObject({ code: 'agent_not_found' })
    await records.store.teams.update(teamId, { leadAgentId: lead.id, updatedAt: 2 })
    expect(await to('Zero')).toEqual([lead.id])
    await records.store.agents.insert(newAgent(`bob2-${teamId}`, { teamId, name: 'bob' }))
    for (const wrong of ['Bob', 'Mallory', '']) {
      const refused = posts.byPerson(OPERATOR, teamId, { body: 'x', to: [wrong] })
      await expect(refused).rejects.toMatchObject({
        code: 'agent_not_found',
        message: expect.stringContaining('the team has Ada ('),
      })
    }
    await expect(to(...upTo(51).map(String))).rejects.toMatchObject({ code: 'request_invalid' })
  })

  it('[TC73] the posts of a run continue its chain', async () => {
    const { records, ada, bob } = await openRoom()
    const chainOf = (runId: string) => (runId === ada.runId ? { id: 'chain', hops: 2 } : null)
    const posts = createRoomPosts({ ...records, chainOf })
    expect(await posts.byRun(ada, { body: 'x' })).toMatchObject({ chainId: 'chain', hops: 2 })
    const own = await posts.byRun(bob, { body: 'y' })
    expect(own).toMatchObject({ chainId: own.id, hops: 0 })
  })

  it('[TC65] following a room page by page returns every post of others once, at any page size', async () => {
    const { posts, ada, bob, roomId } = await openRoom()
    const byAda = fc.sample(fc.boolean(), 40)
    for (const isAda of byAda) await posts.byRun(isAda ? ada : bob, { body: 'x' })
    const others = byAda.flatMap((isAda, n) => (isAda ? [] : [n + 1]))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 45 }), async (limit, start) => {
        let cursor = start
        const read: number[] = []
        for (let hasMore = true; hasMore; ) {
          const page = await posts.after(roomId, { seq: cursor, limit, exceptAuthor: ada.agentId })
          expect(page.posts.length).toBeLessThanOrEqual(limit)
          expect(page.next).toBe(Math.min(Math.min(cursor, 40) + limit, 40))
          expect(page.head).toBe(40)
          read.push(...page.posts.map(({ seq }) => seq))
          ;({ next: cursor, hasMore } = page)
        }
        expect(cursor).toBe(40)
        expect(read).toEqual(others.filter((seq) => seq > start))
      }),
      { numRuns: isSoak ? 500 : 40 },
    )
  })

  it('[TC66] history is read backward to the first post, and starts at the newest post without a number', async () => {
    const { posts, ada, roomId } = await openRoom()
    for (const n of upTo(7)) await posts.byRun(ada, { body: `${n}` })
    const read = async (seq: number | null, limit: number) => {
      const page = await posts.before(roomId, { seq, limit })
      return [page.posts.map((post) => post.seq), page.hasMore, page.head]
    }
    expect(await read(null, 3)).toEqual([[5, 6, 7], true, 7])
    expect(await read(5, 3)).toEqual([[2, 3, 4], true, 7])
    expect(await read(2, 3)).toEqual([[1], false, 7])
    expect(await read(1, 3)).toEqual([[], false, 7])
  })

  it('[TC60] two servers post to one room at the same time without gaps, and readers on both see the same order', async () => {
    const room = await openRoom()
    const count = isSoak ? 400 : 60
    let isDone = false
    const readers = room.servers.map(({ posts }) => follow(posts, room.roomId, () => isDone))
    await Promise.all(
      room.servers.flatMap(({ posts }, server) =>
        [room.ada, room.bob].map(async (by) => {
          for (let n = 0; n < count; n++) await posts.byRun(by, { body: `${server} ${by.agentId} ${n}` })
        }),
      ),
    )
    isDone = true
    const [first, second] = await Promise.all(readers)
    expect(
      first!.map(({ seq }) => seq),
      seeded,
    ).toEqual(upTo(4 * count))
    expect(second).toEqual(first)
    // The posts of each author stay in order.
    for (const prefix of [`0 ${room.ada.agentId}`, `1 ${room.bob.agentId}`]) {
      const own = first!.filter(({ body }) => body.startsWith(`${prefix} `)).map(({ body }) => body)
      expect(own, seeded).toEqual(Array.from({ length: count }, (_, n) => `${prefix} ${n}`))
    }
    const events = (await room.records.events('team-chat-posted')).filter(({ post }) => post.roomId === room.roomId)
    expect(events.map(({ post }) => post.seq)).toEqual(upTo(4 * count))
  })

  it('[TC60] a refused post among many takes no number and does not affect the others', async () => {
    const { posts, ada, roomId } = await openRoom()
    await posts.byRun(ada, { body: 'first' })
    const made = await Promise.allSettled([
      ...upTo(5).map((n) => posts.byRun(ada, { body: `${n}` })),
      ...upTo(3).map((n) => posts.byRun({ ...ada, teamId: 'none' }, { body: `${n}` })),
      posts.byRun(ada, { body: '' }),
    ])
    expect(made.map(({ status }) => status === 'fulfilled')).toEqual([...Array(5).fill(true), ...Array(4).fill(false)])
    expect((await posts.after(roomId, { seq: 0, limit: 9 })).posts.map(({ seq }) => seq)).toEqual(upTo(6))
  })
})

/** Reads page by page while others post, and once more at the end. */
async function follow(posts: TestRoom['posts'], roomId: string, isDone: () => boolean) {
  const seen: { seq: number; body: string }[] = []
  for (let cursor = 0; ; ) {
    const isLast = isDone()
    const page = await posts.after(roomId, { seq: cursor, limit: 7 })
    seen.push(...page.posts.map(({ seq, body }) => ({ seq, body })))
    cursor = page.next
    if (isLast && !page.hasMore) return seen
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
