import { expect, test } from 'vitest'
import type { BlockPiece } from './block-chunker.ts'
import { type Block, type CoalesceOptions, createBlockCoalescer } from './block-coalescer.ts'
import { TestClock } from './test-clock.ts'

const piece = (source: string, overrides: Partial<BlockPiece> = {}): BlockPiece => ({
  messageIndex: 0,
  offset: 0,
  source,
  opening: '',
  closing: '',
  gap: '\n\n',
  ...overrides,
})

function coalesce(overrides: Partial<CoalesceOptions> = {}) {
  const clock = new TestClock()
  const blocks: Block[] = []
  const options = { minChars: 10, maxChars: 30, idleMs: 1000, joiner: '\n\n', isPassThrough: false, ...overrides }
  const coalescer = createBlockCoalescer(options, clock.after, (block) => blocks.push(block))
  return { clock, coalescer, texts: () => blocks.map(({ text }) => text), blocks }
}

test('[NR271] pieces that arrive within the idle time form one block, with the white space between them', async () => {
  const { clock, coalescer, blocks } = coalesce()
  coalescer.add(piece('first one', { gap: null }))
  await clock.pass(999)
  coalescer.add(piece('second', { offset: 11, gap: '\n \n' }))
  await clock.pass(999)
  expect(blocks).toEqual([])
  await clock.pass(1)
  expect(blocks).toEqual([{ key: '0:0', messageIndex: 0, offset: 0, text: 'first one\n \nsecond' }])
})

test('[NR271] a pause does not send a text that is too short, and starts no other timer', async () => {
  const { clock, coalescer, texts } = coalesce()
  coalescer.add(piece('short'))
  await clock.pass(60_000)
  expect(texts()).toEqual([])
  expect(clock.pending).toBe(0)
  coalescer.flush()
  expect(texts()).toEqual(['short'])
})

test('[NR272] held text that would become too long is sent before the new piece, and a full block is sent at once', () => {
  const { coalescer, texts } = coalesce()
  coalescer.add(piece('a'.repeat(20)))
  coalescer.add(piece('b'.repeat(9)))
  expect(texts()).toEqual(['a'.repeat(20)])
  coalescer.add(piece('c'.repeat(19)))
  expect(texts()).toEqual(['a'.repeat(20), `${'b'.repeat(9)}\n\n${'c'.repeat(19)}`])
})

test('[NR272] a new message sends the held text of the previous one', () => {
  const { coalescer, texts } = coalesce()
  coalescer.add(piece('one'))
  coalescer.add(piece('two', { messageIndex: 1, gap: null }))
  expect(texts()).toEqual(['one'])
  coalescer.drop()
  coalescer.flush()
  expect(texts()).toEqual(['one'])
})

test('[NR273] pieces of one code block are joined to one code block, pieces of different texts with the joiner', () => {
  const { coalescer, texts } = coalesce({ maxChars: 100 })
  coalescer.add(piece('```js\none', { closing: '\n```', gap: null }))
  coalescer.add(piece('two\n```', { opening: '```js\n', gap: '\n' }))
  coalescer.add(piece('after', { gap: null }))
  coalescer.flush()
  expect(texts()).toEqual(['```js\none\ntwo\n```\n\nafter'])
})

test('[NR263] in newline mode no pieces are joined', () => {
  const { coalescer, texts } = coalesce({ isPassThrough: true })
  coalescer.add(piece('one'))
  coalescer.add(piece('two'))
  expect(texts()).toEqual(['one', 'two'])
})
