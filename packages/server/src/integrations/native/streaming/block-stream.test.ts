import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from './block-coalescer.ts'
import { resolveBlockSettings } from './block-settings.ts'
import { BlockStream, type BlockStreamConfig } from './block-stream.ts'
import { TestClock } from './test-clock.ts'

function openStream(config: Partial<BlockStreamConfig> = {}) {
  const clock = new TestClock()
  const sent: Block[] = []
  const stream = new BlockStream({ silentReply: 'NO_REPLY', after: clock.after, ...config }, (block) =>
    sent.push(block),
  )
  return { clock, stream, sent, texts: () => sent.map(({ text }) => text) }
}

const paragraph = (sign: string) => sign.repeat(1000)

describe('settings', () => {
  test('[NR275] blocks have 800 to 1200 characters, and a pause is one second', () => {
    expect(resolveBlockSettings({})).toEqual({
      breakAt: 'text_end',
      chunk: { minChars: 800, maxChars: 1200, breakPreference: 'paragraph', chunkMode: 'length', isEager: true },
      coalesce: { minChars: 800, maxChars: 1200, idleMs: 1000, joiner: '\n\n', isPassThrough: false },
    })
  })

  test('[NR275] the limits stay consistent with each other', () => {
    expect(resolveBlockSettings({ maxChars: 500, coalesce: { idleMs: 60_000 } })).toMatchObject({
      chunk: { minChars: 500, maxChars: 500 },
      coalesce: { minChars: 500, maxChars: 500, idleMs: 5000 },
    })
    expect(resolveBlockSettings({ maxChars: 3 }).chunk.maxChars).toBe(40)
  })
})

describe('sending blocks', () => {
  test('[NR276] by default a block is sent while its text still arrives, and the rest when the message ends', async () => {
    const { clock, stream, texts } = openStream()
    stream.text(0, `${paragraph('a')}\n\nrest`)
    await clock.pass(1000)
    expect(texts()).toEqual([paragraph('a')])
    await clock.pass(60_000)
    expect(texts()).toHaveLength(1)
    stream.messageEnd(0)
    expect(texts()).toEqual([paragraph('a'), 'rest'])
  })

  test('[NR276] with message_end nothing is sent before the message ends', async () => {
    const { clock, stream, texts } = openStream({ breakAt: 'message_end' })
    stream.text(0, `${paragraph('a')}\n\n${paragraph('b')}`)
    await clock.pass(60_000)
    expect(texts()).toEqual([])
    stream.messageEnd(0)
    expect(texts()).toEqual([paragraph('a'), paragraph('b')])
  })

  test('[NR263] in newline mode every paragraph is sent on its own', async () => {
    const { stream, texts } = openStream({ chunkMode: 'newline' })
    stream.text(0, 'one\n\ntwo\n\nthree')
    stream.messageEnd(0)
    expect(texts()).toEqual(['one', 'two', 'three'])
  })

  test('[NR278] a piece that is only the silent reply is not sent', () => {
    const { stream, sent } = openStream()
    stream.text(0, ' no_reply\n')
    stream.messageEnd(0)
    stream.text(1, 'NO_REPLY is what I would say')
    stream.messageEnd(1)
    expect(sent.map(({ messageIndex }) => messageIndex)).toEqual([1])
  })
})

describe('exactly once', () => {
  test('[NR279] equal blocks are both sent, each with its own key', async () => {
    const { stream, sent } = openStream()
    stream.text(0, `${paragraph('a')}\n\n${paragraph('a')}`)
    stream.messageEnd(0)
    stream.text(1, paragraph('a'))
    stream.messageEnd(1)
    expect(sent.map(({ key }) => key)).toEqual(['0:0', '0:1002', '1:0'])
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
  })

  test('[NR282] the unsent text of an interrupted message is discarded', () => {
    const { stream, texts } = openStream()
    stream.text(0, 'a try that fai')
    stream.text(1, 'a try that goes well')
    stream.messageEnd(1)
    expect(texts()).toEqual(['a try that goes well'])
    expect(() => stream.text(1, 'more')).toThrow(TypeError)
  })

  test('[NR284] every message is sent completely, once and in order, at any timing', async () => {
    const word = fc.constantFrom('word ', 'more.', '\n', '\n\n', '```\n', 'x'.repeat(50), ' ')
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('text' as const), delta: fc.array(word).map((all) => all.join('')) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('messageEnd' as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(3000) }) },
    )
    const config = fc.record({
      breakAt: fc.constantFrom('text_end' as const, 'message_end' as const),
      chunkMode: fc.constantFrom('length' as const, 'newline' as const),
      breakPreference: fc.constantFrom('paragraph' as const, 'newline' as const, 'sentence' as const),
      minChars: fc.constantFrom(20, 60),
      maxChars: fc.constantFrom(60, 90),
    })
    await fc.assert(
      fc.asyncProperty(config, fc.array(step, { maxLength: 30 }), async (chosen, steps) => {
        const { clock, stream, sent } = openStream(chosen)
        const messages: string[] = ['']
        for (const next of steps)
          if (next.do === 'text') {
            stream.text(messages.length - 1, next.delta)
            messages[messages.length - 1] += next.delta
          } else if (next.do === 'pass') await clock.pass(next.ms)
          else {
            stream.messageEnd(messages.length - 1)
            messages.push('')
          }
        stream.messageEnd(messages.length - 1)
        const bare = (text: string) => text.replace(/[\s`]/g, '')
        for (const [index, text] of messages.entries()) {
          const blocks = sent.filter(({ messageIndex }) => messageIndex === index)
          expect(bare(blocks.map((block) => block.text).join(''))).toBe(bare(text))
        }
        expect(sent.every((block) => block.text.length <= chosen.maxChars)).toBe(true)
        expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length)
        const places = sent.map(({ messageIndex, offset }) => messageIndex * 1e6 + offset)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
    )
  })
})
