import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../session/message.ts'
import { openSession, type Session } from '../session/session.ts'
import { assistant, call, isPaired, result, rounds, temporaryFolder, textOf, user } from '../session/test-messages.ts'
import { type CompactionOutcome, type CompactOptions, compactSession, type Summarise } from './compact-session.ts'
import { reserveTokens } from './context-window.ts'
import { tokensOf } from './token-estimate.ts'

const openIn = (folder: string, sessionId = 's') => openSession(folder, sessionId, { cwd: '/', now: () => 1 })

async function filled(messages: readonly Message[]): Promise<Session> {
  const session = await openIn(await temporaryFolder())
  await session.append(...messages)
  return session
}

const long = (count: number) =>
  Array.from({ length: count }, (_, n) => [user(`question ${n} ${'x'.repeat(2000)}`), assistant(`answer ${n}`)]).flat()

async function compact(session: Session, summarise: Summarise, options: Partial<CompactOptions> = {}) {
  const logged: CompactionOutcome[] = []
  const outcome = await compactSession(session, summarise, {
    window: 8000,
    fixedTokens: 100,
    signal: new AbortController().signal,
    log: (entry) => logged.push(entry),
    ...options,
  })
  expect(logged).toEqual([outcome])
  return outcome
}

test('[NR363] the older part is summarised piece by piece, and every request fits the window', async () => {
  const session = await filled(long(40))
  const requests: string[] = []
  const outcome = await compact(session, async (text) => `summary ${requests.push(text)}`, {
    reminder: 'mind the rules',
  })
  expect(outcome).toMatchObject({ status: 'compacted', calls: requests.length })
  expect(requests.length).toBeGreaterThan(2)
  for (const text of requests) expect((text.length / 4) * 1.2).toBeLessThanOrEqual(8000 - reserveTokens(8000))
  expect(requests[1]).toContain('<summary>\nsummary 1\n</summary>')
  for (let n = 0; n < 35; n++) expect(requests.some((text) => text.includes(`question ${n} `))).toBe(true)
  const shown = session.context()
  expect(textOf(shown[0])).toContain(`summary ${requests.length}`)
  expect(textOf(shown.at(-1))).toBe('mind the rules')
  expect(shown.map(textOf)).toContain('answer 39')
  expect(shown.slice(1, -1)).toEqual(long(40).slice(-(shown.length - 2)))
  expect(session.lastCompaction?.tokensAfter).toBe('tokens' in outcome ? outcome.tokens.after : null)
  await session.close()
})

test('[NR363] every call keeps its result in any window, and no request is too long', async () => {
  const folder = await temporaryFolder()
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(rounds, { maxLength: 30 }),
      fc.integer({ min: 4000, max: 9000 }),
      fc.boolean(),
      async (groups, window, fails) => {
        const session = await openIn(folder, `s${count++}`)
        const wide = groups.flat().map((message) => (message.role === 'toolResult' ? message : stretch(message)))
        await session.append(...wide)
        const summarise: Summarise = async (text) => {
          expect((text.length / 4) * 1.2).toBeLessThanOrEqual(window - reserveTokens(window))
          if (fails) throw new Error('no')
          return 'y'.repeat(text.length)
        }
        const outcome = await compact(session, summarise, { window })
        expect(outcome.status).not.toBe('failed')
        expect(isPaired(session.context())).toBe(true)
        if ('tokens' in outcome) expect(outcome.tokens.after).toBeLessThan(window)
        const shown = session.context()
        await session.close()
        const again = await openIn(folder, session.sessionId)
        expect(again.context()).toEqual(shown)
        await again.close()
      },
    ),
    { numRuns: 40 },
  )
})

function stretch(message: Message): Message {
  if (message.role === 'user')
    return { ...message, content: [...message.content, { type: 'text', text: 'x'.repeat(3000) }] }
  return message
}

test('[NR364] without a summary the newest part is kept verbatim, and the outcome gives the reason', async () => {
  const session = await filled(long(40))
  const outcome = await compact(session, () => Promise.reject(new Error('no credit left')))
  expect(outcome).toMatchObject({ status: 'kept_recent_only', problem: 'no credit left', calls: 2 })
  const shown = session.context()
  expect(textOf(shown[0])).toMatch(/earlier messages could not be summarised \(no credit left\)/)
  expect(shown.slice(1)).toEqual(long(40).slice(-(shown.length - 1)))
  expect(shown.length).toBeGreaterThan(1)
  await session.close()
})

test('[NR364] the summary before a failure is kept, and shorter pieces are tried once', async () => {
  const session = await filled(long(40))
  const sizes: number[] = []
  const outcome = await compact(session, async (text) => {
    sizes.push(text.length)
    if (sizes.length === 2) throw new Error('too long')
    return `part ${sizes.length}`
  })
  expect(outcome.status).toBe('compacted')
  expect(sizes[2]).toBeLessThan(sizes[0]! * 0.8)
  const other = await filled(long(40))
  let calls = 0
  const half = await compact(other, async () => (++calls % 3 === 0 ? '' : `part ${calls}`))
  expect(half).toMatchObject({ status: 'kept_recent_only', problem: 'the summary was empty' })
  expect(textOf(other.context()[0])).toContain('part 5')
  await Promise.all([session.close(), other.close()])
})

test('[NR365] when the fixed parts alone do not fit, there is one clear error and no model call', async () => {
  const session = await filled(long(10))
  const before = session.context()
  const never: Summarise = () => expect.unreachable('a model was called')
  const outcome = await compact(session, never, { fixedTokens: 8001 })
  expect(outcome).toMatchObject({ status: 'too_large' })
  expect('problem' in outcome && outcome.problem).toMatch(/8001 tokens.*window has 8000.*Shorten/)
  expect(session.context()).toEqual(before)
  await session.compacted('x'.repeat(20_000), null)
  expect((await compact(session, never, { fixedTokens: 4000 })).status).toBe('too_large')
  await session.close()
})

test('[NR366] a compaction ends within its time limit and is logged, even if the model never answers', async () => {
  const session = await filled(long(40))
  const outcome = await compact(session, () => new Promise(() => {}), { timeoutMs: 20 })
  expect(outcome).toMatchObject({ status: 'kept_recent_only', problem: 'it took too long', calls: 1 })
  await session.append(user('still writable'))
  await session.close()
})

test('[NR366] an aborted compaction leaves the session unchanged', async () => {
  const session = await filled(long(40))
  const before = session.context()
  const stop = new AbortController()
  const outcome = await compact(
    session,
    () => {
      stop.abort()
      return new Promise(() => {})
    },
    { signal: stop.signal },
  )
  expect(outcome).toEqual({ status: 'aborted' })
  expect(session.context()).toEqual(before)
  await session.close()
  const late = await compact(await filled(long(40)), () => expect.unreachable(), { signal: stop.signal })
  expect(late).toEqual({ status: 'aborted' })
})

test('[NR366] a session that cannot be written is reported, not thrown', async () => {
  const session = await filled(long(40))
  await session.close()
  expect(await compact(session, async () => 'x')).toMatchObject({ status: 'failed' })
})

test('[NR367] a compaction that keeps nothing leaves its summary, and a short session is not compacted', async () => {
  const session = await filled([user('hi'), assistant(call('a')), result('a'), assistant('done')])
  expect(await compact(session, async () => 'x')).toEqual({ status: 'nothing_to_compact' })
  const refused: Summarise = () => Promise.reject(new Error('no'))
  expect(await compact(session, refused, { keepTokens: 0 })).toEqual({ status: 'failed', problem: 'no' })
  expect(session.context()).toHaveLength(4)
  expect(await compact(session, async () => 'all of it', { keepTokens: 0 })).toMatchObject({ status: 'compacted' })
  expect(session.context().map(textOf)).toEqual([
    'Everything before this point was compacted to this summary:\n\nall of it',
  ])
  expect(await compact(session, async () => 'x', { keepTokens: 0 })).toEqual({ status: 'nothing_to_compact' })
  await session.append(user('next'), assistant('ok'))
  expect(await compact(session, refused, { keepTokens: 0 })).toMatchObject({
    status: 'failed',
  })
  expect(session.context().map(textOf).slice(1)).toEqual(['next', 'ok'])
  expect(session.context().reduce((sum, message) => sum + tokensOf(message), 0)).toBeLessThan(50)
  await session.close()
})
