import { createHash } from 'node:crypto'
import type { AgentFileName } from '@clawboo/core/registry'
import { describe, expect, it } from 'vitest'
import { sql } from '../sql.ts'
import { newAgent } from './agents-contract.ts'
import { newRun } from './runs-contract.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

/** The repositories other than the agents'. */
export function describeRecords(createDatabase: CreateDatabase): void {
  describe('records', () => {
    const subject = useStore(createDatabase)
    describeTeams(subject)
    describeSessions(subject)
    describeSettings(subject)
    describeAgentFiles(subject)
    describeEvents(subject)
    describeAuditAndCounters(subject)
  })
}

type Subject = ReturnType<typeof useStore>

function describeTeams(subject: Subject): void {
  it('[ST50] a team counts its live members, and removing it leaves them without a team', async () => {
    const { agents, teams } = subject.store
    const made = await teams.insert({ id: 'team', name: 'Team', createdAt: 10 })
    expect(made).toEqual({
      id: 'team',
      name: 'Team',
      description: null,
      leadAgentId: null,
      agentCount: 0,
      tenantId: null,
      archivedAt: null,
      createdAt: 10,
      updatedAt: 10,
    })
    await agents.insert(newAgent('member', { teamId: 'team' }))
    await agents.insert(newAgent('former', { teamId: 'team', archivedAt: 5 }))
    expect((await teams.get('team'))?.agentCount).toBe(1)
    expect(await teams.remove('team')).toBe(true)
    expect(await teams.remove('team')).toBe(false)
    expect(await agents.get('member')).toMatchObject({ teamId: null })
    await expect(agents.insert(newAgent('stray', { teamId: 'team' }))).rejects.toMatchObject({ kind: 'foreign-key' })
  })

  it('[ST51] a team is patched field by field and listed by age, archived teams only on request', async () => {
    const { teams } = subject.store
    await teams.insert({ id: 'b', name: 'B', description: 'second', leadAgentId: 'gone-agent', createdAt: 2 })
    await teams.insert({ id: 'a', name: 'A', createdAt: 1 })
    expect(await teams.update('b', { name: 'Bee', updatedAt: 9 })).toMatchObject({
      name: 'Bee',
      description: 'second',
      leadAgentId: 'gone-agent',
      updatedAt: 9,
    })
    await teams.update('b', { description: null, leadAgentId: null, archivedAt: 10, updatedAt: 10 })
    expect(await teams.get('b')).toMatchObject({ description: null, leadAgentId: null, archivedAt: 10 })
    expect(await teams.update('nobody', { name: 'x', updatedAt: 1 })).toBeNull()
    expect((await teams.list()).map(({ id }) => id)).toEqual(['a'])
    expect((await teams.list({ includeArchived: true })).map(({ id }) => id)).toEqual(['a', 'b'])
  })
}

function describeSessions(subject: Subject): void {
  it('[ST52] the sessions of an agent are the conversations that it has run in, each once, ordered by latest activity', async () => {
    const { agents, runs, sessions } = subject.store
    await agents.insert(newAgent('talker'))
    await agents.insert(newAgent('other'))
    const run = (id: string, sessionKey: string, startedAt: number, agentId = 'talker') =>
      runs.insert(newRun(id, { agentId, sessionKey, startedAt }))
    const end = (id: string, endedAt: number) =>
      runs.end(id, 'home-1', { outcome: 'completed', reason: null, text: `Said in ${id}`, endedAt })
    expect(await sessions.list('talker', 9)).toEqual([])
    await run('r1', 'main', 1)
    await end('r1', 20)
    await run('r2', 'plans', 10)
    await end('r2', 30)
    await run('r3', 'main', 25)
    await run('r4', 'Room:é', 26)
    await end('r4', 27)
    await run('r5', 'secrets', 40, 'other')
    const row = { agentId: 'talker', title: null, status: 'idle' }
    expect(await sessions.list('talker', 9)).toEqual([
      { ...row, id: 'plans', sourceSessionId: 'plans', preview: 'Said in r2', createdAt: 10, updatedAt: 30 },
      { ...row, id: 'Room:é', sourceSessionId: 'Room:é', preview: 'Said in r4', createdAt: 26, updatedAt: 27 },
      { ...row, id: 'main', sourceSessionId: 'main', preview: null, status: 'active', createdAt: 1, updatedAt: 25 },
    ])
    expect((await sessions.list('talker', 2)).map(({ id }) => id)).toEqual(['plans', 'Room:é'])
  })
}

function describeSettings(subject: Subject): void {
  it('[ST53] a setting is any JSON value, and setting the same value again changes nothing', async () => {
    const { db, settings } = subject.store
    for (const value of [null, false, 0, '', 'é\0', [1, { a: null }], { b: 'x' }]) {
      await settings.set('any', value)
      expect(await settings.get('any')).toEqual(value)
    }
    await db.run(sql`UPDATE settings SET updated_at = 5 WHERE key = 'any'`)
    await settings.set('any', { b: 'x' })
    expect((await db.get<{ at: number }>(sql`SELECT updated_at AS at FROM settings WHERE key = 'any'`))?.at).toBe(5)
    await expect(settings.set('any', undefined)).rejects.toThrow(TypeError)
    expect(await settings.remove('any')).toBe(true)
    expect(await settings.remove('any')).toBe(false)
    expect(await settings.get('any')).toBeUndefined()
  })

  it('[ST54] a prefix is literal and case-sensitive', async () => {
    const { settings } = subject.store
    for (const key of ['p_.b', 'p_.a', 'P_.a', 'px.a', 'p_', '👻.x']) await settings.set(key, key)
    expect((await settings.listPrefix('p_.')).map(({ key }) => key)).toEqual(['p_.a', 'p_.b'])
    expect(await settings.listPrefix('👻.')).toEqual([{ key: '👻.x', value: '👻.x' }])
    expect(await settings.removePrefix('p_')).toBe(3)
    expect((await settings.listPrefix('')).map(({ key }) => key)).toEqual(['P_.a', 'px.a', '👻.x'])
  })
}

function describeAgentFiles(subject: Subject): void {
  it('[ST55] a file keeps every revision, counted from 1', async () => {
    const { agents, agentFiles } = subject.store
    await agents.insert(newAgent('writer'))
    const write = (name: AgentFileName, content: string, expectedRevision: number) =>
      agentFiles.append({ agentId: 'writer', name, content, author: 'me', expectedRevision, at: 7 })
    expect(await agentFiles.latest('writer', 'SOUL.md')).toBeNull()
    const first = await write('SOUL.md', 'é', 0)
    const hash = createHash('sha256').update('é').digest('hex')
    const info = { agentId: 'writer', name: 'SOUL.md', revision: 1, hash, bytes: 2, author: 'me', createdAt: 7 }
    expect(first).toEqual({ ...info, content: 'é' })
    expect(await write('SOUL.md', '', 1)).toMatchObject({ revision: 2, bytes: 0, content: '' })
    await write('AGENTS.md', 'x', 0)
    expect(await agentFiles.get('writer', 'SOUL.md', 1)).toEqual(first)
    expect(await agentFiles.get('writer', 'SOUL.md', 3)).toBeNull()
    expect(await agentFiles.latest('writer', 'SOUL.md')).toMatchObject({ revision: 2 })
    expect((await agentFiles.latestAll('writer')).map(({ name, revision }) => `${name} ${revision}`)).toEqual([
      'AGENTS.md 1',
      'SOUL.md 2',
    ])
    expect((await agentFiles.history('writer', 'SOUL.md', { limit: 1 })).map(({ revision }) => revision)).toEqual([2])
    expect(await agentFiles.history('writer', 'SOUL.md', { limit: 5, before: 2 })).toEqual([info])
  })

  it('[ST56] only one of several authors who saw the same revision can write, and the others get a conflict', async () => {
    const { agents, agentFiles } = subject.store
    await agents.insert(newAgent('contested'))
    const write = (author: string, expectedRevision: number) =>
      agentFiles.append({ agentId: 'contested', name: 'SOUL.md', content: author, author, expectedRevision, at: 1 })
    for (const revision of [0, 1, 2]) {
      const written = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((author) => write(author, revision)))
      expect(written.filter((result) => result !== null)).toHaveLength(1)
    }
    expect(await write('ahead', 7)).toBeNull()
    await expect(
      agentFiles.append({ agentId: 'nobody', name: 'SOUL.md', content: '', author: 'me', expectedRevision: 0, at: 1 }),
    ).rejects.toMatchObject({ kind: 'foreign-key' })
  })
}

function describeEvents(subject: Subject): void {
  it('[ST57] events are numbered in order and return their body as JSON text', async () => {
    const { events } = subject.store
    expect([await events.firstSeq(), await events.lastSeq()]).toEqual([0, 0])
    expect(await events.append({ type: 'a', body: { x: '\0' }, at: 5 })).toBe(1)
    expect(await events.append({ type: 'b', body: null, at: 6 })).toBe(2)
    expect((await events.after(0, 10)).map((event) => ({ ...event }))).toEqual([
      { seq: 1, at: 5, type: 'a', body: '{"x":"\\u0000"}' },
      { seq: 2, at: 6, type: 'b', body: 'null' },
    ])
    expect((await events.after(1, 10)).map(({ seq }) => seq)).toEqual([2])
    expect((await events.after(0, 1)).map(({ seq }) => seq)).toEqual([1])
    await expect(events.append({ type: 'c', body: undefined, at: 7 })).rejects.toThrow(TypeError)
  })

  it('[ST58] a rolled-back transaction leaves no gap in the event log', async () => {
    const { store } = subject
    const before = await store.events.lastSeq()
    const doomed = store.transaction(async (tx) => {
      await tx.events.append({ type: 'lost', body: 1, at: 1 })
      throw new Error('rolled back')
    })
    await expect(doomed).rejects.toThrow('rolled back')
    expect(await store.events.append({ type: 'kept', body: 1, at: 1 })).toBe(before + 1)
  })

  it('[ST59] pruning keeps the newest events, and no number is issued twice', async () => {
    const { events } = subject.store
    for (let n = 0; n < 5; n++) await events.append({ type: 'x', body: n, at: n })
    const last = await events.lastSeq()
    expect(await events.prune(2)).toBe(last - 2)
    expect([await events.firstSeq(), await events.lastSeq()]).toEqual([last - 1, last])
    expect(await events.prune(0)).toBe(1)
    expect(await events.prune(0)).toBe(0)
    expect(await events.lastSeq()).toBe(last)
    expect(await events.append({ type: 'x', body: 0, at: 0 })).toBe(last + 1)
  })
}

function describeAuditAndCounters(subject: Subject): void {
  it('[ST60] audit entries read newest first and page without overlap', async () => {
    const { audit } = subject.store
    for (let n = 0; n < 5; n++)
      await audit.append({ at: 7, actor: 'me', action: 'did', subject: `thing-${n}`, detail: { n } })
    await audit.append({ at: 7, actor: 'me', action: 'did', subject: 'last', runId: 'run' })
    const page = await audit.list({ limit: 2 })
    expect(page).toMatchObject([
      { subject: 'last', runId: 'run', detail: null },
      { subject: 'thing-4', runId: null, detail: { n: 4 } },
    ])
    const rest = await audit.list({ limit: 10, before: page[1]!.id })
    expect(rest.map((entry) => entry.subject)).toEqual(['thing-3', 'thing-2', 'thing-1', 'thing-0'])
  })

  it('[ST61] a counter counts from 1 and issues a rolled-back number again', async () => {
    const { store } = subject
    expect(await store.counters.current('tasks')).toBe(0)
    expect([await store.counters.next('tasks'), await store.counters.next('tasks')]).toEqual([1, 2])
    const doomed = store.transaction(async (tx) => {
      expect(await tx.counters.next('tasks')).toBe(3)
      throw new Error('rolled back')
    })
    await expect(doomed).rejects.toThrow('rolled back')
    expect(await store.counters.next('tasks')).toBe(3)
    expect(await store.counters.current('tasks')).toBe(3)
    await expect(store.counters.next('events')).rejects.toThrow(TypeError)
  })
}
