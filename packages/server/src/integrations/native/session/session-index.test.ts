import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openSession } from './session.ts'
import { openSessionIndex, type SessionEntry } from './session-index.ts'
import { temporaryFolder, textOf, user } from './test-messages.ts'

const KEY = 'agent:a:main'
let time = 1_700_000_000_000
const now = () => time++
const openIndex = (folder: string) => openSessionIndex(folder, { now })
const indexOnDisk = async (folder: string): Promise<Record<string, SessionEntry>> =>
  JSON.parse(await readFile(join(folder, 'sessions.json'), 'utf8'))

async function withTranscript(folder: string, sessionId: string, text: string, sessionKey?: string) {
  const session = await openSession(folder, sessionId, { cwd: '/', now, sessionKey })
  await session.append(user(text))
  await session.close()
}

test('[NR330] an acknowledged change is on disk, complete and readable by its owner only', async () => {
  const folder = join(await temporaryFolder(), 'sessions')
  const index = await openIndex(folder)
  expect(index.get(KEY)).toBeUndefined()
  const [entry, same] = await Promise.all([index.ensure(KEY), index.ensure(KEY)])
  expect(same.sessionId).toBe(entry.sessionId)
  await Promise.all(Array.from({ length: 20 }, (_, n) => index.update(KEY, { lastInteractionAt: n })))
  await index.update(KEY, { bootstrapWarnings: ['x'] })
  await index.update(KEY, { bootstrapWarnings: undefined })
  expect((await stat(join(folder, 'sessions.json'))).mode & 0o777).toBe(0o600)
  const again = await openIndex(folder)
  expect(again.get(KEY)).toMatchObject({ sessionId: entry.sessionId, lastInteractionAt: 19 })
  expect(again.get(KEY)).not.toHaveProperty('bootstrapWarnings')
  expect(await readdir(folder)).toEqual(['sessions.json'])
})

test('[NR330] a change that cannot be written is rejected and has no effect', async () => {
  const folder = await temporaryFolder()
  const index = await openIndex(folder)
  await index.ensure(KEY)
  await mkdir(join(folder, 'sessions.json.new', 'in-the-way'), { recursive: true })
  await expect(index.update(KEY, { bootstrapWarnings: ['x'] })).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(index.get(KEY)).not.toHaveProperty('bootstrapWarnings')
})

test('[NR331] an unreadable index is rebuilt from the transcripts, and the old file is kept under another name', async () => {
  const contents = ['', '{', 'null', '[]', '\0\0\0', '{"agent:a:main":{"sessionId":"one"', '"x"']
  for (const content of contents) {
    const folder = await temporaryFolder()
    await withTranscript(folder, 'one', 'hi', KEY)
    await withTranscript(folder, 'two', 'ho')
    await writeFile(join(folder, 'three.jsonl'), 'noise')
    await writeFile(join(folder, 'old.jsonl.reset.2024'), 'archived')
    await writeFile(join(folder, 'sessions.json'), content)
    const index = await openIndex(folder)
    const rebuilt = await indexOnDisk(folder)
    expect(Object.entries(rebuilt).map(([key, { sessionId }]) => [key, sessionId])).toEqual([
      [KEY, 'one'],
      ['session:three', 'three'],
      ['session:two', 'two'],
    ])
    expect(index.get(KEY)).toEqual(rebuilt[KEY])
    expect(await readFile(join(folder, 'sessions.json.broken'), 'utf8')).toBe(content)
    const again = await openIndex(folder)
    expect(await indexOnDisk(folder)).toEqual(rebuilt)
    const session = await openSession(folder, again.get(KEY)!.sessionId, { cwd: '/', now })
    expect(session.context().map(textOf)).toEqual(['hi'])
    await session.close()
  }
})

test('[NR331] a missing index is rebuilt from the transcripts', async () => {
  const folder = await temporaryFolder()
  await withTranscript(folder, 'one', 'hi', KEY)
  const index = await openIndex(folder)
  expect(index.get(KEY)?.sessionId).toBe('one')
})

test('[NR332] a new session starts only on request, and the old transcript is archived', async () => {
  const folder = await temporaryFolder()
  const index = await openIndex(folder)
  const { sessionId } = await index.update(KEY, { bootstrapWarnings: ['x'] })
  await withTranscript(folder, sessionId, 'yesterday', KEY)
  time += 30 * 24 * 60 * 60_000
  expect((await index.ensure(KEY)).sessionId).toBe(sessionId)
  const fresh = await index.newSession(KEY)
  expect(fresh.sessionId).not.toBe(sessionId)
  expect(fresh.bootstrapWarnings).toBeUndefined()
  expect(fresh.sessionStartedAt).toBeGreaterThan(1_700_000_000_000 + 30 * 24 * 60 * 60_000 - 1)
  const archive = (await readdir(folder)).find((name) => name.startsWith(`${sessionId}.jsonl.reset.`))!
  expect(await readFile(join(folder, archive), 'utf8')).toContain('yesterday')
  const session = await openSession(folder, fresh.sessionId, { cwd: '/', now })
  expect(session.context()).toEqual([])
  await session.close()
  expect((await openIndex(folder)).get(KEY)?.sessionId).toBe(fresh.sessionId)
})

test('[NR333] keys with any text and unknown fields survive every change', async () => {
  const folder = await temporaryFolder()
  const base = { sessionId: 's', sessionStartedAt: 1, lastInteractionAt: 2, updatedAt: 3 }
  await writeFile(join(folder, 'sessions.json'), JSON.stringify({ [KEY]: { ...base, skillsSnapshot: { a: [1] } } }))
  const index = await openIndex(folder)
  await index.update(KEY, { bootstrapWarnings: ['x'] })
  const keys = ['__proto__', 'constructor', '', ...fc.sample(fc.string({ unit: 'binary' }), 20)]
  for (const key of keys) await index.update(key, { bootstrapWarnings: [key] })
  const again = await openIndex(folder)
  expect(again.get(KEY)).toMatchObject({ skillsSnapshot: { a: [1] }, bootstrapWarnings: ['x'] })
  for (const key of keys) expect(again.get(key)?.bootstrapWarnings).toEqual([key])
})

test('[NR334] an invalid entry is restored from its transcript, and the other entries stay unchanged', async () => {
  const folder = await temporaryFolder()
  await withTranscript(folder, 'one', 'hi', KEY)
  await withTranscript(folder, 'two', 'ho', 'agent:a:other')
  const other: SessionEntry = {
    sessionId: 'two',
    sessionStartedAt: 1,
    lastInteractionAt: 2,
    updatedAt: 3,
    bootstrapWarnings: ['x'],
  }
  for (const bad of [null, {}, { ...other, sessionId: '../../etc' }, { ...other, updatedAt: 'x' }]) {
    await writeFile(join(folder, 'sessions.json'), JSON.stringify({ [KEY]: bad, 'agent:a:other': other }))
    const index = await openIndex(folder)
    expect(index.get(KEY)?.sessionId).toBe('one')
    expect(index.get('agent:a:other')).toEqual(other)
  }
})
