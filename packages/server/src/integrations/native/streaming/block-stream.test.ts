import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from './block-coalescer.ts'
import { resolveBlockSettings } from './block-settings.ts'
import { type BlockStreamConfig, createBlockStream } from './block-stream.ts'
import { TestClock } from './test-clock.ts'

function openStream(config: BlockStreamConfig = {}, hold: (block: Block) => Promise<void> = async () => {}) {
  const clock = new TestClock()
  const sent: Block[] = []
  const stream = createBlockStream({ enabled: true, after: clock.after, ...config }, async (block) => {
    await hold(block)
    sent.push(block)
  })
  return { clock, stream, sent, texts: () => sent.map(({ text }) => text) }
}

const never = () => new Promise<void>(() => {})
const paragraph = (sign: string) => sign.repeat(1000)

describe('settings', () => {
  test('[NR274] block streaming is off unless it is turned on; then all that was said is the final reply', async () => {
    const { stream, sent } = openStream({ enabled: false })
    stream.text(0, paragraph('a'))
    await stream.messageEnd(0)
    expect(await stream.finish()).toEqual({ undelivered: [{ messageIndex: 0, text: paragraph('a') }] })
    expect(sent).toEqual([])
    expect(resolveBlockSettings({}).enabled).toBe(false)
  })

  test('[NR275] blocks have 800 to 1200 characters, a pause is one second, a send has 15 seconds', () => {
    expect(resolveBlockSettings({})).toEqual({
      enabled: false,
      breakAt: 'text_end',
      chunk: { minChars: 800, maxChars: 1200, breakPreference: 'paragraph', chunkMode: 'length', isEager: true },
      coalesce: { minChars: 800, maxChars: 1200, idleMs: 1000, joiner: '\n\n', isPassThrough: false },
      pause: { minMs: 0, maxMs: 0 },
      sendTimeoutMs: 15_000,
      silentReply: null,
    })
  })

  test('[NR275] no limit goes beyond the one above it', () => {
    expect(resolveBlockSettings({ textLimit: 500, coalesce: { minChars: 1500, idleMs: 60_000 } })).toMatchObject({
      chunk: { minChars: 500, maxChars: 500 },
      coalesce: { minChars: 500, maxChars: 500, idleMs: 5000 },
    })
    expect(resolveBlockSettings({ coalesce: { minChars: 1500 } }).coalesce.minChars).toBe(1200)
    expect(resolveBlockSettings({ maxChars: 3 }).chunk.maxChars).toBe(40)
  })
})

describe('when blocks are sent', () => {
  test('[NR276] by default a block goes while its text still comes; the rest goes when the message ends', async () => {
    const { clock, stream, texts } = openStream()
    stream.text(0, `${paragraph('a')}\n\nrest`)
    await clock.pass(1000)
    expect(texts()).toEqual([paragraph('a')])
    stream.textEnd(0)
    await clock.pass(60_000)
    expect(texts()).toHaveLength(1)
    await stream.messageEnd(0)
    expect(texts()).toEqual([paragraph('a'), 'rest'])
    expect(await stream.finish()).toEqual({ undelivered: [] })
  })

  test('[NR276] with message_end nothing goes before the message ends', async () => {
    const { clock, stream, texts } = openStream({ breakAt: 'message_end' })
    stream.text(0, `${paragraph('a')}\n\n${paragraph('b')}`)
    stream.textEnd(0)
    await clock.pass(60_000)
    expect(texts()).toEqual([])
    await stream.messageEnd(0)
    expect(texts()).toEqual([paragraph('a'), paragraph('b')])
  })

  test('[NR263] in newline mode paragraphs arrive apart', async () => {
    const { stream, texts } = openStream({ chunkMode: 'newline' })
    stream.text(0, 'one\n\ntwo\n\nthree')
    await stream.messageEnd(0)
    expect(texts()).toEqual(['one', 'two', 'three'])
  })

  test('[NR277] before every block but the first there is the pause that was asked for', async () => {
    const { clock, stream, texts } = openStream({ chunkMode: 'newline', humanDelay: 'natural', random: () => 0.5 })
    stream.text(0, 'one\n\ntwo')
    void stream.messageEnd(0)
    await clock.pass(0)
    expect(texts()).toEqual(['one'])
    await clock.pass(1649)
    expect(texts()).toEqual(['one'])
    await clock.pass(1)
    expect(texts()).toEqual(['one', 'two'])
    expect(resolveBlockSettings({ humanDelay: { minMs: 9, maxMs: 5 } }).pause).toEqual({ minMs: 9, maxMs: 9 })
  })

  test('[NR278] a piece that is nothing but the silent reply is not sent and is no reply', async () => {
    const { stream, sent } = openStream({ silentReply: 'NO_REPLY' })
    stream.text(0, ' no_reply\n')
    await stream.messageEnd(0)
    stream.text(1, 'NO_REPLY is what I would say')
    expect(await stream.finish()).toEqual({ undelivered: [] })
    expect(sent.map(({ messageIndex }) => messageIndex)).toEqual([1])
  })
})

describe('exactly once', () => {
  test('[NR279] equal blocks are both sent, each under its own key', async () => {
    const { stream, sent } = openStream()
    stream.text(0, `${paragraph('a')}\n\n${paragraph('a')}`)
    await stream.messageEnd(0)
    stream.text(1, paragraph('a'))
    await stream.messageEnd(1)
    expect(sent.map(({ key }) => key)).toEqual(['0:0', '0:1002', '1:0'])
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
  })

  test('[NR279] a block waits until the one before it has arrived', async () => {
    const arrivals: (() => void)[] = []
    const held = (_block: Block) => new Promise<void>((resolve) => arrivals.push(resolve))
    const { clock, stream, texts } = openStream({ chunkMode: 'newline' }, held)
    stream.text(0, 'one\n\ntwo\n\n')
    await clock.pass(0)
    expect(arrivals).toHaveLength(1)
    arrivals[0]!()
    await clock.pass(0)
    expect(texts()).toEqual(['one'])
    expect(arrivals).toHaveLength(2)
  })

  test('[NR280] after a block that takes too long nothing more is sent, and the final reply is what was not delivered', async () => {
    const { clock, stream, texts } = openStream({ chunkMode: 'newline' }, (block) =>
      block.text === 'two' ? never() : Promise.resolve(),
    )
    stream.text(0, 'zero')
    await stream.messageEnd(0)
    stream.text(1, 'one\n\ntwo\n\nthree')
    const ended = stream.messageEnd(1)
    stream.text(2, 'four')
    await clock.pass(14_999)
    expect(clock.pending).toBe(1)
    await clock.pass(1)
    await ended
    expect(await stream.finish()).toEqual({
      undelivered: [
        { messageIndex: 1, text: 'one\n\ntwo\n\nthree' },
        { messageIndex: 2, text: 'four' },
      ],
    })
    expect(texts()).toEqual(['zero', 'one'])
    expect(clock.pending).toBe(0)
  })

  test('[NR280] a block that fails counts like one that takes too long', async () => {
    const { stream, texts } = openStream({ chunkMode: 'newline' }, (block) =>
      block.text === 'one' ? Promise.reject(new Error('gone')) : Promise.resolve(),
    )
    stream.text(0, 'one\n\ntwo')
    expect(await stream.finish()).toEqual({ undelivered: [{ messageIndex: 0, text: 'one\n\ntwo' }] })
    expect(texts()).toEqual([])
  })

  test('[NR281] a message is said again only if its own blocks did not all arrive, whatever others said', async () => {
    const { stream } = openStream({}, (block) =>
      block.messageIndex === 2 ? Promise.reject(new Error('gone')) : Promise.resolve(),
    )
    for (const index of [0, 1, 2]) {
      stream.text(index, 'the same words')
      await stream.messageEnd(index)
    }
    expect(await stream.finish()).toEqual({ undelivered: [{ messageIndex: 2, text: 'the same words' }] })
  })

  test('[NR282] what was not sent of a message that was broken off is forgotten', async () => {
    const { stream, texts } = openStream()
    stream.text(0, 'a try that fai')
    stream.text(1, 'a try that goes well')
    expect(await stream.finish()).toEqual({ undelivered: [] })
    expect(texts()).toEqual(['a try that goes well'])
    expect(() => stream.text(1, 'more')).toThrow(TypeError)
  })

  test('[NR283] a stream that was stopped sends nothing more, leaves no timer and still ends', async () => {
    const { clock, stream, texts } = openStream({ chunkMode: 'newline', humanDelay: 'natural' })
    stream.text(0, 'one\n\ntwo\n\nthree')
    await clock.pass(0)
    stream.stop()
    expect(await stream.finish()).toMatchObject({ undelivered: [{ messageIndex: 0 }] })
    expect(texts()).toEqual(['one'])
    expect(clock.pending).toBe(0)
  })

  test('[NR284] whatever comes when, every message arrives whole, once and in order', async () => {
    const word = fc.constantFrom('word ', 'more.', '\n', '\n\n', '```\n', 'x'.repeat(50), ' ')
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('text' as const), delta: fc.array(word).map((all) => all.join('')) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('textEnd' as const, 'messageEnd' as const) }) },
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
        const said: string[] = ['']
        for (const next of steps)
          if (next.do === 'text') {
            stream.text(said.length - 1, next.delta)
            said[said.length - 1] += next.delta
          } else if (next.do === 'pass') await clock.pass(next.ms)
          else if (next.do === 'textEnd') stream.textEnd(said.length - 1)
          else {
            void stream.messageEnd(said.length - 1)
            said.push('')
          }
        expect(await stream.finish()).toEqual({ undelivered: [] })
        const bare = (text: string) => text.replace(/[\s`]/g, '')
        for (const [index, text] of said.entries()) {
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
