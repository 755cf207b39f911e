import { open, readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { StoredEntry } from './entry.ts'
import { openSession } from './session.ts'
import { assistant, call, result, temporaryFolder, textOf, user } from './test-messages.ts'
import { contextOf } from './test-transcripts.ts'

const now = () => 1_700_000_000_000
const openIn = (folder: string) => openSession(folder, 's', { cwd: '/work', now })

const entry = (id: string, parentId: string | null, fields: object): StoredEntry =>
  ({ type: 'message', id, parentId, timestamp: '2024-01-01T00:00:00.000Z', ...fields }) as StoredEntry
const message = (id: string, parentId: string | null) => entry(id, parentId, { message: user(id) })
const compaction = (id: string, parentId: string, firstKeptEntryId: string) =>
  entry(id, parentId, { type: 'compaction', summary: `<${id}>`, firstKeptEntryId })
const shown = (entries: readonly StoredEntry[], leafId?: string) =>
  contextOf(entries, leafId).live.map(({ message }) => textOf(message).split('\n').at(-1))

test('[NR315] the context is the newest summary, the entries it kept, and the entries after it', () => {
  const entries = [
    message('a', null),
    message('b', 'a'),
    compaction('c', 'b', 'b'),
    message('d', 'c'),
    message('e', 'd'),
    compaction('f', 'e', 'e'),
    message('g', 'f'),
  ]
  expect(shown(entries.slice(0, 2))).toEqual(['a', 'b'])
  expect(shown(entries.slice(0, 4))).toEqual(['<c>', 'b', 'd'])
  expect(shown(entries)).toEqual(['<f>', 'e', 'g'])
  expect(shown([message('a', null), compaction('c', 'a', 'c'), message('d', 'c')])).toEqual(['<c>', 'd'])
  expect(shown([message('a', null), compaction('c', 'a', 'gone'), message('d', 'c')])).toEqual(['<c>', 'd'])
  expect(shown([message('a', null), message('b', 'a'), compaction('c', 'b', 'b'), compaction('d', 'c', 'a')])).toEqual([
    '<d>',
    'a',
    'b',
  ])
})

test('[NR315] other branches are not shown, but their summaries and custom messages are', () => {
  const entries = [
    message('a', null),
    message('b', 'a'),
    entry('s', 'a', { type: 'branch_summary', fromId: 'b', summary: 'tried b' }),
    entry('n', 's', { type: 'custom_message', customType: 'note', content: 'mind the gap', display: false }),
    entry('x', 'n', { type: 'custom', customType: 'state', data: 1 }),
    entry('l', 'x', { type: 'label', targetId: 'a', label: 'start' }),
    message('c', 'l'),
  ]
  expect(shown(entries)).toEqual(['a', 'tried b', 'mind the gap', 'c'])
  expect(shown(entries, 'b')).toEqual(['a', 'b'])
})

test('[NR315] a chain of parents that is broken or circular is reported and not followed for ever', () => {
  expect(contextOf([message('b', 'a'), message('c', 'b')])).toMatchObject({ chainBroken: true })
  expect(contextOf([message('a', 'c'), message('b', 'a'), message('c', 'b')])).toMatchObject({ chainBroken: true })
  expect(contextOf([message('a', 'a')])).toMatchObject({ chainBroken: true })
  expect(contextOf([])).toMatchObject({ chainBroken: false, live: [] })
})

test('[NR314] the details of a tool result are in the file and not in the context', async () => {
  const folder = await temporaryFolder()
  const session = await openIn(folder)
  await session.append(user('go'), assistant(call('a')), { ...result('a'), details: { secret: 'figure' } })
  expect(JSON.stringify(session.context())).not.toContain('secret')
  await session.close()
  expect(await readFile(session.file, 'utf8')).toContain('"secret":"figure"')
  expect(JSON.stringify((await openIn(folder)).context())).not.toContain('secret')
})

test('[NR316] entries before a compaction are not read again, however large they are', async () => {
  const folder = await temporaryFolder()
  const session = await openIn(folder)
  await session.append(user('old'), assistant('older'))
  const [kept] = await session.append(user('kept'))
  await session.append(assistant('yes'))
  await session.compacted('summary', kept!)
  await session.append(user('new'))
  const expected = session.context()
  await session.close()
  const [header, ...lines] = (await readFile(session.file, 'utf8')).split('\n')
  const sparse = await open(session.file, 'w')
  await sparse.write(`${header}\n`)
  // A hole of 3 GiB takes no disk space, and it is too large for a string.
  const at = 3 * 1024 ** 3
  await sparse.write(`\n${lines.slice(2).join('\n')}`, at)
  await sparse.close()
  const again = await openIn(folder)
  expect(again.context()).toEqual(expected)
  expect(again.repaired.brokenLines).toBe(0)
  await again.append(assistant('more'))
  expect(again.leafId! > '80000000').toBe(true)
  await again.close()
})

test('[NR319] a line of more than 32 MiB counts as damage and moves to a separate file', async () => {
  const folder = await temporaryFolder()
  const session = await openIn(folder)
  await session.append(user('one'))
  await session.close()
  const long = Buffer.alloc(33 * 1024 * 1024, 'x')
  await writeFile(session.file, Buffer.concat([await readFile(session.file), long, Buffer.from('\n')]))
  const again = await openIn(folder)
  expect(again.context().map(textOf)).toEqual(['one'])
  expect(again.repaired.brokenLines).toBe(1)
  await again.close()
  expect((await readFile(`${session.file}.broken`)).length).toBe(long.length + 1)
  await writeFile(session.file, Buffer.concat([await readFile(session.file), long]))
  const third = await openIn(folder)
  expect(third.repaired).toMatchObject({ unfinishedLine: true, brokenLines: 0 })
  await third.close()
})

test('[NR320] only the newest part of a context larger than 32 MiB is loaded, starting with a prompt', async () => {
  const folder = await temporaryFolder()
  const session = await openIn(folder)
  const text = 'x'.repeat(3 * 1024 * 1024)
  for (let n = 0; n < 8; n++) await session.append(user(`${n}${text}`), assistant(`${n}${text}`))
  await session.close()
  const again = await openIn(folder)
  expect(again.olderLeftOut).toBe(true)
  expect(again.context().map((message) => textOf(message)[0])).toEqual([
    '3',
    '3',
    '4',
    '4',
    '5',
    '5',
    '6',
    '6',
    '7',
    '7',
  ])
  expect(again.repaired.brokenLines).toBe(0)
  await again.close()
})
