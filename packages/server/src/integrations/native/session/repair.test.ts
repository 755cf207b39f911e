import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSoak } from '../../../../../../test/seed.ts'
import type { Message } from './message.ts'
import { openSession } from './session.ts'
import { assistant, call, isPaired, result, rounds, temporaryFolder, textOf, user } from './test-messages.ts'
import { repairTranscript } from './test-transcripts.ts'

const now = () => 1_700_000_000_000
const openIn = (folder: string) => openSession(folder, 's', { cwd: '/work', now })
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2024-01-01T00:00:00.000Z","cwd":"/work"}'
const runs = { numRuns: Math.min(300, fc.readConfigureGlobal()?.numRuns ?? 100) }

const inputs = () => {
  let count = 0
  return { headerLine: HEADER, now, newId: () => `fix-${++count}` }
}

function transcript(...messages: (Message | string)[]): string {
  let parentId: string | null = null
  const lines = messages.map((message, at) => {
    if (typeof message === 'string') return message
    const id = String(at + 1).padStart(8, '0')
    const line = JSON.stringify({ type: 'message', id, parentId, timestamp: '', message })
    parentId = id
    return line
  })
  return [HEADER, ...lines].map((line) => `${line}\n`).join('')
}

async function opened(bytes: string | Buffer) {
  const folder = await temporaryFolder()
  const file = join(folder, 's.jsonl')
  await writeFile(file, bytes)
  const session = await openIn(folder)
  await session.close()
  const rest = (await readdir(folder)).filter((name) => name !== 's.jsonl')
  return { folder, file, session, rest, text: await readFile(file, 'utf8') }
}

const sample = transcript(
  user('look', 'm1'),
  assistant('I look', call('a'), call('b')),
  result('a', 'A'),
  result('b', 'B'),
  assistant('both are there'),
  user('again', 'm2'),
  assistant(call('a')),
  result('a', 'ä€🌍'),
  assistant('done'),
)

test('[NR308] a transcript cut off at any byte loses only its incomplete last line', async () => {
  const bytes = Buffer.from(sample)
  const folder = await temporaryFolder()
  const file = join(folder, 's.jsonl')
  for (let length = 0; length <= bytes.length; length++) {
    const nearLineEnd = bytes.subarray(Math.max(0, length - 3), length + 3).includes('\n')
    if (!isSoak && !nearLineEnd && length % 11 !== 0) continue
    await writeFile(file, bytes.subarray(0, length))
    const session = await openIn(folder)
    await session.close()
    const whole = bytes.subarray(0, length).toString('utf8').split('\n')
    const rest = whole.pop()!
    if (rest.endsWith('}') && isJson(rest)) whole.push(rest)
    const expected = whole.slice(1).map((line) => textOf(JSON.parse(line).message))
    const shown = session.context()
    expect(shown.slice(0, expected.length).map(textOf)).toEqual(expected)
    expect(shown.slice(expected.length).map(textOf)).toEqual(shown.slice(expected.length).map(() => 'aborted'))
    expect(isPaired(shown)).toBe(true)
    const after = length === 0 ? '' : await readFile(file, 'utf8')
    expect(after.startsWith(whole.map((line) => `${line}\n`).join(''))).toBe(true)
  }
})

test('[NR308] the text left after a cut at any byte has only complete lines, and every call in it has its result', () => {
  const bytes = Buffer.from(sample)
  for (let length = 0; length <= bytes.length; length++) {
    const { text, dropped } = repairTranscript(bytes.subarray(0, length).toString('utf8'), inputs())
    const messages = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).message)
    expect(dropped).toEqual([])
    expect(isPaired(messages)).toBe(true)
  }
})

test('[NR307] a transcript with any bytes opens, shows every call with its result, and accepts new entries', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 's.jsonl')
  const damage = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('flip', 'nul', 'cut', 'newline', 'junk', 'double', 'invalid'),
    size: fc.nat(40),
    bit: fc.nat(7),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(rounds, { minLength: 1, maxLength: 4 }),
      fc.array(damage, { maxLength: 6 }),
      async (messages, hits) => {
        let bytes = Buffer.from(transcript(...messages.flat()))
        for (const hit of hits) bytes = harm(bytes, hit)
        await writeFile(file, bytes)
        const session = await openIn(folder)
        expect(isPaired(session.context())).toBe(true)
        await session.append(user('more'), assistant('yes', call('z')), result('z'))
        await session.close()
        const again = await openIn(folder)
        expect(again.context()).toEqual(session.context())
        expect(again.repaired).toMatchObject({ brokenLines: 0, relinkedEntries: 0, resultsAdded: 0 })
        await again.close()
      },
    ),
    runs,
  )
})

test('[NR307] a file of pure noise opens as an empty session and is kept in a separate file', async () => {
  for (const noise of [
    '\0'.repeat(5000),
    'not json\n'.repeat(3),
    '[]\n1\nnull\n"x"\n',
    '\n\n\n',
    '{"type":"session"}\n',
  ]) {
    const { session, text } = await opened(noise)
    expect(session.context()).toEqual([])
    expect(
      text === '' || text === `${HEADER.replace('2024-01-01T00:00:00.000Z', new Date(now()).toISOString())}\n`,
    ).toBe(true)
  }
  const { rest, folder } = await opened('not json\nneither\n')
  expect(rest).toEqual(['s.jsonl.broken'])
  expect(await readFile(join(folder, rest[0]!), 'utf8')).toBe('not json\nneither\n')
})

test('[NR309] invalid lines and messages without a role move to a separate file, the other lines stay byte for byte', async () => {
  const roleless = '{"type":"message","id":"00000003","parentId":"00000001","message":{"role":null,"content":[]}}'
  const text = transcript(user('one'), '{"type":"message","id":"0000', assistant('two'), user('three'))
  const lines = text.trimEnd().split('\n')
  const damaged = [...lines.slice(0, 2), roleless, lines[2], ...lines.slice(3)].map((line) => `${line}\n`).join('')
  const { session, file, rest, text: after } = await opened(damaged)
  expect(session.context().map(textOf)).toEqual(['one', 'two', 'three'])
  expect(session.repaired).toMatchObject({ brokenLines: 1, messagesWithoutRole: 1 })
  expect(after).toBe([lines[0], lines[1], lines[3], lines[4]].map((line) => `${line}\n`).join(''))
  expect(rest).toEqual(['s.jsonl.broken'])
  expect(await readFile(`${file}.broken`, 'utf8')).toBe(`${roleless}\n${lines[2]}\n`)
})

test('[NR310] a call that was interrupted gets an aborted error result in the file', async () => {
  const { session, text } = await opened(transcript(user('go'), assistant(call('a', 'exec'), call('b')), result('b')))
  const added = session.context().at(-1)!
  expect(added).toMatchObject({ role: 'toolResult', toolCallId: 'a', toolName: 'exec', isError: true })
  expect(textOf(added)).toBe('aborted')
  expect(session.repaired.resultsAdded).toBe(1)
  expect(text.trimEnd().split('\n')).toHaveLength(5)
})

test('[NR310] a result missing in the middle is inserted after its call', async () => {
  const broken = transcript(user('go'), assistant(call('a'), call('b')), result('a'), assistant('on'), user('next'))
  const { text, report } = repairTranscript(broken, inputs())
  const entries = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))
  expect(entries.map(({ message }) => message.role)).toEqual([
    'user',
    'assistant',
    'toolResult',
    'toolResult',
    'assistant',
    'user',
  ])
  expect(entries[3]).toMatchObject({ parentId: '00000003', message: { toolCallId: 'b', isError: true } })
  expect(entries[4]).toMatchObject({ id: '00000004', parentId: entries[3].id })
  expect(report).toMatchObject({ resultsAdded: 1, brokenLines: 0 })
  const { session, text: onDisk } = await opened(broken)
  expect(session.repaired.resultsAdded).toBe(1)
  expect(onDisk.split('\n')[4]).toContain('"aborted"')
})

test('[NR310] duplicate and orphaned results are not shown, and reused call ids are kept apart', async () => {
  const { session } = await opened(
    transcript(
      user('go'),
      result('x'),
      assistant(call('a')),
      result('a', 'first'),
      result('a', 'second'),
      assistant(call('a')),
      result('a', 'third'),
    ),
  )
  expect(session.context().map(textOf)).toEqual(['go', '<toolCall>', 'first', '<toolCall>', 'third'])
})

test('[NR311] a blank prompt and a failed, empty answer get a text when they are read', async () => {
  const failed = { ...assistant(), stopReason: 'error' as const }
  const { session, text } = await opened(transcript(user(' '), failed, user('real')))
  expect(session.context().map(textOf)).toEqual(['(continue)', '[The answer failed before it had any text.]', 'real'])
  expect(session.repaired.blankMessagesFilled).toBe(2)
  expect(text).toContain('(continue)')
})

test('[NR312] an entry whose parent is missing is attached to the previous entry, and an entry without an id gets one', async () => {
  const text = transcript(user('one'), assistant('two'), user('three')).replace(
    '"parentId":"00000002"',
    '"parentId":"0000000x"',
  )
  const { session } = await opened(text)
  expect(session.context().map(textOf)).toEqual(['one', 'two', 'three'])
  expect(session.repaired.relinkedEntries).toBe(1)
  const idless = await opened(text.replaceAll(/"id":"0000000\d",/g, ''))
  expect(idless.session.context().map(textOf)).toEqual(['one', 'two', 'three'])
})

test('[NR313] repairing a repaired transcript changes nothing', () => {
  const line = fc.oneof(
    rounds
      .chain((messages) => fc.constantFrom(...messages))
      .map((message) => JSON.stringify({ type: 'message', message })),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({
        type: fc.constantFrom('message', 'custom', 'compaction', 'session', 'x'),
        id: fc.constantFrom('a', 'b', 'c'),
        parentId: fc.constantFrom('a', 'b', 'c', 'd', null),
      })
      .map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (lines, withHeader) => {
      const once = repairTranscript([...(withHeader ? [HEADER] : []), ...lines].join('\n'), inputs())
      const twice = repairTranscript(once.text, inputs())
      expect(twice.text).toBe(once.text)
      expect(twice.dropped).toEqual([])
    }),
    runs,
  )
})

test('[NR314] entries of an unknown kind are kept in the file and not shown', async () => {
  const unknown = '{"type":"weather","id":"0000000a","parentId":"00000001","sky":"blue"}'
  const after = JSON.stringify({
    type: 'message',
    id: '0000000b',
    parentId: '0000000a',
    timestamp: '',
    message: assistant('ho'),
  })
  const text = `${transcript(user('hi'))}${unknown}\n${after}\n`
  const { session, text: kept } = await opened(text)
  expect(session.context().map(textOf)).toEqual(['hi', 'ho'])
  expect(kept).toBe(text)
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Damage {
  readonly at: number
  readonly kind: string
  readonly size: number
  readonly bit: number
}

function harm(bytes: Buffer<ArrayBuffer>, { at, kind, size, bit }: Damage): Buffer<ArrayBuffer> {
  if (bytes.length === 0) return bytes
  const place = at % bytes.length
  const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)]
  switch (kind) {
    case 'flip': {
      const flipped = Buffer.from(bytes)
      flipped[place] = flipped[place]! ^ (1 << bit)
      return flipped
    }
    case 'nul':
      return Buffer.concat([head, Buffer.alloc(size), tail.subarray(size)])
    case 'cut':
      return Buffer.concat([head, tail.subarray(size)])
    case 'newline':
      return Buffer.concat([head, Buffer.from('\n'), tail])
    case 'junk':
      return Buffer.concat([head, Buffer.from('x'.repeat(size)), tail])
    case 'double':
      return Buffer.concat([bytes, tail])
    default:
      return Buffer.concat([head, Buffer.from([0xff, 0xc0, 0x80]), tail])
  }
}
