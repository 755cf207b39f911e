import { beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../open-store.ts'
import type { StoredPost } from '../repositories/rooms/posts-repository.ts'
import { raw, sql } from '../sql.ts'
import { newAgent } from './agents-contract.ts'
import { CLIENTS, runClients } from './run-clients.ts'
import { sampleSize, TEST_SEED } from './test-sample.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

const ROOM = 'team:team'

export const newPost = (seq: number, overrides: Partial<StoredPost> = {}): StoredPost => ({
  roomId: ROOM,
  seq,
  id: `post-${seq}`,
  teamId: 'team',
  author: { kind: 'agent', id: 'ada' },
  kind: 'peer',
  body: `Post ${seq}`,
  to: [],
  chainId: `post-${seq}`,
  hops: 0,
  runId: null,
  taskId: null,
  credential: 'attached',
  turnKey: null,
  createdAt: seq,
  ...overrides,
})

/** The repositories of the rooms, without the rules of the team chat. */
export function describeTeamChat(createDatabase: CreateDatabase): void {
  describe('team chat', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      const { store } = subject
      for (const table of ['board_lines', 'agents', 'teams']) await store.db.run(sql`DELETE FROM ${raw(table)}`)
      for (const id of ['team', 'other']) await store.teams.insert({ id, name: id, createdAt: 1 })
      await store.agents.insert(newAgent('ada', { teamId: 'team' }))
    })
    describeRooms(subject)
    describeMembers(subject)
    describePosts(subject)
    describePages(subject)
    describeExchanges(subject)
    describeLines(subject)
  })
}

type Subject = ReturnType<typeof useStore>

const makeRoom = ({ store }: Subject, teamId = 'team') => store.rooms.ensure({ id: `team:${teamId}`, teamId, at: 5 })

function describeRooms(subject: Subject): void {
  it('[TC61] a room is created once for an existing team, and is removed with the team and everything in it', async () => {
    const { rooms, posts, exchanges, roomMembers, teams, agents } = subject.store
    expect(await rooms.nextSeq(ROOM)).toBeNull()
    expect(await rooms.ensure({ id: 'team:none', teamId: 'none', at: 1 })).toBeNull()
    const made = await makeRoom(subject)
    expect(made).toEqual({
      id: ROOM,
      teamId: 'team',
      headSeq: 0,
      owner: null,
      leaseUntil: null,
      turnCap: null,
      wakesLeader: false,
      createdAt: 5,
    })
    expect(await rooms.ensure({ id: ROOM, teamId: 'team', at: 6 })).toEqual(made)
    expect(await rooms.nextSeq(ROOM)).toBe(1)
    await posts.insert(newPost(1))
    await exchanges.insert(newExchange(1))
    await roomMembers.save(member(1))
    await agents.update('s', 'ada', { teamId: null, updatedAt: 2 })
    expect(await teams.remove('team')).toBe(true)
    expect([await rooms.get(ROOM), await posts.get('post-1'), await exchanges.get('x-1')]).toEqual([null, null, null])
    expect(await roomMembers.list(ROOM)).toEqual([])
  })

  it('[TC71] a room stores its own turn cap and whether reports wake its leader', async () => {
    const { rooms } = subject.store
    await makeRoom(subject)
    expect(await rooms.configure(ROOM, { turnCap: 3, wakesLeader: true })).toMatchObject({
      turnCap: 3,
      wakesLeader: true,
    })
    expect(await rooms.configure(ROOM, { turnCap: null })).toMatchObject({ turnCap: null, wakesLeader: true })
    expect(await rooms.configure(ROOM, {})).toMatchObject({ turnCap: null, wakesLeader: true })
    expect(await rooms.configure('team:none', { turnCap: 3 })).toBeNull()
  })
}

function describeMembers(subject: Subject): void {
  it('[TC68] a room’s lease belongs to its owner until it expires by the database’s clock or is released', async () => {
    const { rooms } = subject.store
    await makeRoom(subject)
    const ownLease = { roomId: ROOM, owner: 'one', leaseMs: 60_000 }
    const others = { ...ownLease, owner: 'two' }
    expect([await rooms.takeLease(ownLease), await rooms.takeLease(ownLease), await rooms.takeLease(others)]).toEqual([
      ...[true, true, false],
    ])
    expect([await rooms.renewLease(ownLease), await rooms.renewLease(others)]).toEqual([true, false])
    expect(await rooms.renewLease({ ...ownLease, leaseMs: -1 })).toBe(true)
    expect([
      await rooms.takeLease(others),
      await rooms.renewLease(ownLease),
      await rooms.releaseLease(ownLease),
    ]).toEqual([...[true, false, false]])
    expect([await rooms.releaseLease(others), await rooms.takeLease(ownLease)]).toEqual([true, true])
    expect(await rooms.takeLease({ ...ownLease, roomId: 'team:none' })).toBe(false)
  })

  it('[TC70] a member’s cursor and summary are stored between turns, and the cursor never moves back', async () => {
    const { roomMembers } = subject.store
    await makeRoom(subject)
    expect(await roomMembers.get(ROOM, 'ada')).toBeNull()
    expect(await roomMembers.save(member(4))).toBe(true)
    expect(await roomMembers.save(member(3, { summary: 'older' }))).toBe(false)
    expect(await roomMembers.save(member(4, { summary: 'Said it.' }))).toBe(true)
    expect(await roomMembers.list(ROOM)).toEqual([member(4, { summary: 'Said it.' })])
    expect(await roomMembers.get(ROOM, 'ada')).toEqual(member(4, { summary: 'Said it.' }))
  })
}

const member = (cursorSeq: number, overrides: object = {}) => ({
  roomId: ROOM,
  agentId: 'ada',
  cursorSeq,
  summary: null,
  updatedAt: cursorSeq,
  ...overrides,
})

function describePosts(subject: Subject): void {
  it('[TC62] a post reads back as it was written, for every kind of author', async () => {
    const { posts } = subject.store
    await makeRoom(subject)
    const all = [
      newPost(1, { to: ['bob', 'ü"\\'], runId: 'r', taskId: 't', turnKey: 'k', hops: 2, body: 'Ada "ü" 🦊\r\n|' }),
      newPost(2, { author: { kind: 'person', id: 'p' }, kind: 'user', credential: 'operator' }),
      newPost(3, { author: { kind: 'person', id: 'operator' }, kind: 'user', credential: 'operator' }),
      newPost(4, { author: { kind: 'system' }, kind: 'system', chainId: null, credential: 'server' }),
    ]
    for (const one of all) await posts.insert(one)
    expect(await posts.after(ROOM, 0, 9)).toEqual(all)
    expect(await posts.get('post-1')).toEqual(all[0])
    expect(await posts.ofTurn('k')).toEqual(all[0])
    expect(await posts.ofTurn('none')).toBeNull()
    expect(await posts.lastOf(ROOM, 'ada')).toEqual(all[0])
    expect(await posts.lastOf(ROOM, 'p')).toBeNull()
    const kinds = await subject.store.db.all<{ authorKind: string }>(
      sql`SELECT author_kind FROM team_chat ORDER BY seq`,
    )
    expect(kinds.map((row) => row.authorKind)).toEqual(['agent', 'person', 'operator', 'server'])
  })

  it('[TC60] no number of a room, no id and no turn key exists twice', async () => {
    const { posts } = subject.store
    await makeRoom(subject)
    await posts.insert(newPost(1, { turnKey: 'k' }))
    for (const twice of [
      newPost(1, { id: 'other' }),
      newPost(2, { id: 'post-1' }),
      newPost(2, { id: 'other', turnKey: 'k' }),
    ])
      await expect(posts.insert(twice)).rejects.toMatchObject({ kind: 'unique' })
  })
}

function describePages(subject: Subject): void {
  it('[TC66] pages go forward from a number, backward from a number, or start at the newest post', async () => {
    const { posts } = subject.store
    await makeRoom(subject)
    for (let seq = 1; seq <= 7; seq++) await posts.insert(newPost(seq))
    await makeRoom(subject, 'other')
    await posts.insert(newPost(1, { id: 'elsewhere', roomId: 'team:other', teamId: 'other' }))
    const seqs = (page: readonly StoredPost[]) => page.map(({ seq }) => seq)
    expect(seqs(await posts.after(ROOM, 2, 3))).toEqual([3, 4, 5])
    expect(seqs(await posts.after(ROOM, 7, 3))).toEqual([])
    expect(seqs(await posts.before(ROOM, 4, 2))).toEqual([2, 3])
    expect(seqs(await posts.before(ROOM, null, 2))).toEqual([6, 7])
    expect(seqs(await posts.before(ROOM, 1, 2))).toEqual([])
  })

  it('[TC67] no query of posts reads more rows than it returns', async () => {
    const { db } = subject.store
    // PostgreSQL chooses a plan by the number of rows, so the plan for a small table proves nothing.
    if (db.engine === 'postgres') return
    for (const query of ASKED_OFTEN) {
      const plan = await db.all<{ detail: string }>(raw(`EXPLAIN QUERY PLAN ${query}`))
      const text = plan.map(({ detail }) => detail).join('; ')
      expect(text).toMatch(/^SEARCH .* USING (?:COVERING )?INDEX/)
      expect(text).not.toMatch(/TEMP B-TREE|SCAN/)
    }
  })

  it('[TC60] posts of many clients in two processes have no gap and no duplicate', async () => {
    const perClient = sampleSize(10, 200)
    const posted = await runClients<string>(subject.options, 'post-to-room', perClient)
    const store = await openStore(subject.options)
    for (const teamId of ['team', 'other']) {
      const stored = await store.posts.after(`team:${teamId}`, 0, perClient * CLIENTS)
      expect(
        stored.map(({ seq }) => seq),
        `seed ${TEST_SEED}`,
      ).toEqual(stored.map((_, n) => n + 1))
      expect(stored.map(({ id }) => id).sort()).toEqual(posted.filter((id) => id.startsWith(`${teamId} `)).sort())
    }
    await store.close()
    expect(posted).toHaveLength(perClient * CLIENTS)
  })
}

const ASKED_OFTEN = [
  "SELECT * FROM team_chat WHERE room_id = 'r' AND seq > 5 ORDER BY seq LIMIT 50",
  "SELECT * FROM team_chat WHERE room_id = 'r' AND seq < 5 ORDER BY seq DESC LIMIT 50",
  "SELECT * FROM team_chat WHERE room_id = 'r' AND author_kind = 'agent' AND author_id = 'a' ORDER BY seq DESC LIMIT 1",
  "SELECT * FROM team_chat WHERE turn_key = 'k'",
  "SELECT * FROM room_exchanges WHERE room_id = 'r' AND status <> 'ended' ORDER BY room_id, ordinal",
  "SELECT seq FROM board_lines WHERE team_id = 't' ORDER BY seq LIMIT 50",
]

const newExchange = (ordinal: number, overrides: object = {}) => ({
  id: `x-${ordinal}`,
  roomId: ROOM,
  ordinal,
  stimulusSeq: ordinal,
  state: { turns: [] },
  createdAt: ordinal,
  ...overrides,
})

function describeExchanges(subject: Subject): void {
  it('[TC69] exchanges of a room wait in order, and only the owner of an exchange saves or ends it', async () => {
    const { rooms, exchanges } = subject.store
    await makeRoom(subject)
    expect([await rooms.nextOrdinal(ROOM), await rooms.nextOrdinal(ROOM)]).toEqual([1, 2])
    const first = await exchanges.insert(newExchange(1))
    expect(first).toMatchObject({ ...newExchange(1), status: 'queued', owner: null, startedAt: null, endedAt: null })
    await exchanges.insert(newExchange(2, { stimulusSeq: null }))
    await expect(exchanges.insert(newExchange(2, { id: 'x-3' }))).rejects.toMatchObject({ kind: 'unique' })
    expect(await exchanges.end('x-1', 'one', { reason: 'aborted', at: 3 })).toBeNull()
    expect(await exchanges.start('x-1', 'one', 3)).toMatchObject({ status: 'running', owner: 'one', startedAt: 3 })
    expect(await exchanges.save('x-1', 'two', { state: {}, at: 4 })).toBe(false)
    expect(await exchanges.start('x-1', 'two', 5)).toMatchObject({ owner: 'two', startedAt: 3, updatedAt: 5 })
    expect(await exchanges.save('x-1', 'one', { state: {}, at: 6 })).toBe(false)
    expect(await exchanges.save('x-1', 'two', { state: { turns: ['“ü”'] }, at: 6 })).toBe(true)
    expect((await exchanges.open(ROOM)).map(({ id, state }) => [id, state])).toEqual([
      ['x-1', { turns: ['“ü”'] }],
      ['x-2', { turns: [] }],
    ])
    expect(await exchanges.end('x-1', null, { reason: 'aborted', at: 7 })).toBeNull()
    expect(await exchanges.end('x-1', 'two', { reason: 'max_turns', state: [1], at: 7 })).toMatchObject({
      status: 'ended',
      reason: 'max_turns',
      state: [1],
      endedAt: 7,
    })
    expect([await exchanges.start('x-1', 'two', 8), await exchanges.save('x-1', 'two', { state: 1, at: 8 })]).toEqual([
      ...[null, false],
    ])
    expect((await exchanges.open()).map(({ id }) => id)).toEqual(['x-2'])
    expect(await exchanges.end('x-2', null, { reason: 'aborted', at: 9 })).toMatchObject({ status: 'ended' })
    expect(await exchanges.open(ROOM)).toEqual([])
    const ids = async (page: { limit: number; beforeOrdinal?: number }) =>
      (await exchanges.list(ROOM, page)).map(({ id }) => id)
    expect([await ids({ limit: 9 }), await ids({ limit: 9, beforeOrdinal: 2 }), await ids({ limit: 1 })]).toEqual([
      ...[['x-2', 'x-1'], ['x-1'], ['x-2']],
    ])
  })
}

function describeLines(subject: Subject): void {
  it('[TC80] board lines are taken oldest first, one team at a time, each once', async () => {
    const { boardLines, counters } = subject.store
    const line = (teamId: string, n: number) => ({ teamId, taskId: `t${n}`, action: 'task.move', text: `${n}`, at: n })
    for (let n = 1; n <= 5; n++) await boardLines.insert(line(n === 2 ? 'other' : 'team', n))
    expect(await boardLines.teams()).toEqual(['other', 'team'])
    expect(await boardLines.take('team', 2)).toEqual([line('team', 1), line('team', 3)])
    expect(await boardLines.take('team', 9)).toEqual([line('team', 4), line('team', 5)])
    expect(await boardLines.take('team', 9)).toEqual([])
    expect(await boardLines.teams()).toEqual(['other'])
    await expect(counters.next('board_lines')).rejects.toThrow(TypeError)
  })
}
