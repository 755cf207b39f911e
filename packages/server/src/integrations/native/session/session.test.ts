import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntryBody } from './entry.ts'
import type { Message } from './message.ts'
import { openSession, type Session } from './session.ts'
import { assistant, call, isPaired, result, rounds, temporaryFolder, textOf, user } from './test-messages.ts'

const now = () => 1_700_000_000_000
const openIn = (folder: string, sessionId = 's1') => openSession(folder, sessionId, { cwd: '/work', now })
const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

async function reopen(session: Session, folder: string): Promise<Session> {
  await session.close()
  return openIn(folder, session.sessionId)
}

test('[NR300] a transcript is a version 3 header followed by entries that name their parent', async () => {
  const folder = await temporaryFolder()
  const session = await openSession(folder, 's1', { cwd: '/work', now, sessionKey: 'agent:a:main' })
  expect(session.leafId).toBeNull()
  const ids = await session.append(user('hi'), { type: 'model_change', provider: 'demo', modelId: 'boo' })
  await session.append(assistant('hello'))
  await session.sync()
  await session.close()
  const time = '2023-11-14T22:13:20.000Z'
  expect(ids).toEqual(['00000001', '00000002'])
  const third = session.leafId
  expect(third).toMatch(/^[0-9a-f]{8}$/)
  expect(await linesOf(session.file)).toEqual([
    { type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/work', sessionKey: 'agent:a:main' },
    { type: 'message', id: '00000001', parentId: null, timestamp: time, message: user('hi') },
    { type: 'model_change', id: '00000002', parentId: '00000001', timestamp: time, provider: 'demo', modelId: 'boo' },
    { type: 'message', id: third, parentId: '00000002', timestamp: time, message: assistant('hello') },
  ])
})

test('[NR300] no file is created before the first entry', async () => {
  const folder = join(await temporaryFolder(), 'sessions')
  const session = await openIn(folder)
  await session.append()
  await session.sync()
  await session.close()
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

test('[NR301] a session id that could escape the folder is refused', async () => {
  const folder = await temporaryFolder()
  for (const id of ['', '..', 'a/b', 'a.b', 'a\\b', 'a\0', 'a b', 'x'.repeat(101), 'é', 'a\n']) {
    await expect(openIn(folder, id)).rejects.toMatchObject({ code: 'path_refused' })
  }
  await (await openIn(folder, 'x'.repeat(100))).close()
})

test('[NR302] transcript and folder are accessible to their owner only, and a symbolic link is not followed', async () => {
  const folder = join(await temporaryFolder(), 'sessions')
  const session = await openIn(folder)
  await session.append(user('hi'))
  expect((await stat(session.file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await session.close()
  await chmod(session.file, 0o644)
  const again = await openIn(folder)
  await again.append(assistant('ho'))
  expect((await stat(session.file)).mode & 0o777).toBe(0o600)
  await again.close()

  const elsewhere = join(folder, 'elsewhere')
  await writeFile(elsewhere, 'mine')
  await symlink(elsewhere, join(folder, 'link.jsonl'))
  await expect(openIn(folder, 'link')).rejects.toMatchObject({ code: 'store_unavailable' })
  await mkdir(join(folder, 'folder.jsonl'))
  await expect(openIn(folder, 'folder')).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(await readFile(elsewhere, 'utf8')).toBe('mine')
})

test('[NR303] concurrent batches are written one after the other, each as a whole', async () => {
  const session = await openIn(await temporaryFolder())
  const batches = Array.from({ length: 20 }, (_, n) => [user(`question ${n}`), assistant(`answer ${n}`)])
  await Promise.all(batches.map((batch) => session.append(...batch)))
  expect(session.context().map(textOf)).toEqual(batches.flat().map(textOf))
  const [, ...entries] = await linesOf(session.file)
  expect(entries.map((entry) => textOf(entry.message))).toEqual(batches.flat().map(textOf))
  expect(entries.map((entry) => entry.parentId)).toEqual([null, ...entries.slice(0, -1).map((entry) => entry.id)])
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(40)
  await session.close()
})

test('[NR304] after any messages and compactions, a reopened session shows the same context', async () => {
  const folder = await temporaryFolder()
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(rounds, fc.nat(9)), { maxLength: 8 }), async (steps) => {
      let session = await openIn(folder, `s${count++}`)
      for (const [messages, choice] of steps) {
        await session.append(...messages)
        const cuts = session.live().filter(({ message }) => message.role !== 'toolResult')
        const cut = cuts[choice]?.entryId
        if (choice === 9) await session.compacted('all', null)
        else if (cut !== undefined && cut !== session.lastCompaction?.entryId && choice % 3 === 0) {
          await session.compacted(`up to ${cut}`, cut, { tokensBefore: 9, tokensAfter: 4 })
        }
        if (choice === 5) session = await reopen(session, folder)
      }
      const shown = session.context()
      const { leafId, lastCompaction } = session
      const again = await reopen(session, folder)
      expect(again.context()).toEqual(JSON.parse(JSON.stringify(shown)))
      expect(again).toMatchObject({ leafId, lastCompaction })
      expect(isPaired(shown)).toBe(true)
      expect(again.repaired).toMatchObject({ brokenLines: 0, resultsAdded: 0, unfinishedLine: false })
      await again.close()
    }),
    { numRuns: Math.min(200, fc.readConfigureGlobal()?.numRuns ?? 100) },
  )
})

test('[NR305] entries that would make the transcript invalid are refused and leave no trace', async () => {
  const session = await openIn(await temporaryFolder())
  await session.append(user('hi'), assistant(call('a'), call('b')))
  const before = await readFile(session.file, 'utf8')
  const malformed = (part: object) =>
    ({ ...assistant('x'), content: [{ type: 'toolCall', ...part }] }) as unknown as Message
  const refused: (Message | EntryBody)[][] = [
    [{ ...user('x'), role: null } as unknown as Message],
    [{ type: 'message', message: { content: [] } as unknown as Message }],
    [{ role: 'user', timestamp: 1 } as unknown as Message],
    [user('between a call and its result')],
    [{ type: 'custom_message', customType: 'x', content: 'between', display: true }],
    [result('a'), assistant('too early')],
    [result('nobody asked')],
    [result('a'), result('a')],
    [result('a'), result('b'), malformed({ id: 'c', name: 'read' })],
    [result('a'), result('b'), malformed({ id: '', name: 'read', arguments: {} })],
    [result('a'), result('b'), malformed({ id: 'c', arguments: {} })],
  ]
  for (const items of refused) await expect(session.append(...items)).rejects.toBeInstanceOf(TypeError)
  await expect(session.compacted('s', null)).rejects.toBeInstanceOf(TypeError)
  expect(await readFile(session.file, 'utf8')).toBe(before)
  await session.append({ type: 'custom', customType: 'note', data: 1 }, result('b'), result('a'))
  await expect(session.append(result('a'))).rejects.toBeInstanceOf(TypeError)
  await expect(session.compacted('s', session.live()[2]!.entryId)).rejects.toBeInstanceOf(TypeError)
  await expect(session.compacted('s', 'ffffffff')).rejects.toBeInstanceOf(TypeError)
  expect(isPaired(session.context())).toBe(true)
  await session.close()
  await expect(session.append(user('late'))).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('[NR305] an answer that stops for tool use without any call leaves no open call', async () => {
  const folder = await temporaryFolder()
  const session = await openIn(folder)
  await session.append(user('hi'), { ...assistant('I will'), stopReason: 'toolUse' }, user('go on'))
  const again = await reopen(session, folder)
  expect(again.context().map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  await again.close()
})

test('[NR311] a blank prompt and a failed, empty answer are stored with a text', async () => {
  const session = await openIn(await temporaryFolder())
  await session.append(user(' \n'), { ...assistant(), stopReason: 'error', errorMessage: 'overloaded' })
  expect(session.context().map(textOf)).toEqual(['(continue)', '[The answer failed before it had any text.]'])
  await session.close()
  const [, question, answer] = await linesOf(session.file)
  expect([textOf(question.message), textOf(answer.message)]).toEqual(session.context().map(textOf))
  expect(answer.message.errorMessage).toBe('overloaded')
})

test('[NR317] a delivered message is recognised by its id after reopening and after compactions', async () => {
  const folder = await temporaryFolder()
  let session = await openIn(folder)
  for (let n = 0; n < 10; n++) await session.append(user('x', `m${n}`), assistant('y'))
  expect(session.hasMessage('m0')).toBe(true)
  expect(session.hasMessage('m10')).toBe(false)
  await session.compacted('first', session.live().at(-4)!.entryId)
  await session.append(user('x', 'm10'))
  await session.compacted('second', null)
  for (let n = 0; n <= 10; n++) expect(session.hasMessage(`m${n}`)).toBe(true)
  session = await reopen(session, folder)
  for (let n = 0; n <= 10; n++) expect(session.hasMessage(`m${n}`)).toBe(true)
  expect(session.context()).toHaveLength(1)
  await session.close()
})

test('[NR318] appending to a transcript that was removed while in use fails', async () => {
  const session = await openIn(await temporaryFolder())
  await session.append(user('hi'))
  await rm(session.file)
  await expect(session.append(assistant('ho'))).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(session.context()).toHaveLength(1)
  await session.close()
})

test('[NR319] an entry of more than 32 MiB is refused', async () => {
  const session = await openIn(await temporaryFolder())
  await expect(session.append(user('x'.repeat(33 * 1024 * 1024)))).rejects.toMatchObject({ code: 'file_too_large' })
  await session.append(user('small'))
  expect(session.context()).toHaveLength(1)
  await session.close()
})

test('[NR322] lines that another program appended stay intact and do not make an append fail', async () => {
  const folder = await temporaryFolder()
  const [first, second] = [await openIn(folder), await openIn(folder)]
  await first.append(user('hi'))
  await second.append(user('other'))
  await first.append(assistant('ho'))
  await writeFile(first.file, `${await readFile(first.file, 'utf8')}{"half":`)
  await first.append(user('on'))
  expect(first.context().map(textOf)).toEqual(['hi', 'ho', 'on'])
  await second.close()
  const again = await reopen(first, folder)
  expect(again.context().map(textOf)).toEqual(['hi', 'ho', 'on'])
  expect(again.repaired.brokenLines).toBe(1)
  expect(await readFile(`${first.file}.broken`, 'utf8')).toBe('{"half":\n')
  await again.close()
})
