import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BlockChunker, type BlockPiece, type ChunkOptions, pieceText } from './block-chunker.ts'

const usual: ChunkOptions = {
  minChars: 800,
  maxChars: 1200,
  breakPreference: 'paragraph',
  chunkMode: 'length',
  isEager: true,
}

function cut(deltas: readonly string[], overrides: Partial<ChunkOptions> = {}): BlockPiece[] {
  const chunker = new BlockChunker({ ...usual, ...overrides }, 0)
  return [...deltas.flatMap((delta) => chunker.push(delta)), ...chunker.end()]
}

const lengths = (deltas: readonly string[], overrides: Partial<ChunkOptions> = {}) =>
  cut(deltas, overrides).map((piece) => pieceText(piece).length)

const texts = (text: string, overrides: Partial<ChunkOptions> = {}) => cut([text], overrides).map(pieceText)

const letters = (text: string) => [...text]

describe('cutting text', () => {
  test('[NR260] nothing is cut before the minimum length, and the rest comes out whole at the end', () => {
    for (const length of [700, 900]) {
      const chunker = new BlockChunker(usual, 0)
      expect(chunker.push('x'.repeat(length))).toEqual([])
      expect(chunker.end().map((piece) => pieceText(piece).length)).toEqual([length])
    }
  })

  test('[NR260] text without any break is cut at the maximum length', () => {
    expect(lengths(['x'.repeat(1300)])).toEqual([1200, 100])
    expect(lengths([`${'x'.repeat(500)}\n\n${'y'.repeat(900)}`])).toEqual([1200, 202])
  })

  test('[NR260] a paragraph that is long enough is cut as soon as it ends', () => {
    const chunker = new BlockChunker(usual, 0)
    expect(chunker.push(`${'x'.repeat(850)}\n\n${'y'.repeat(300)}`)).toHaveLength(1)
    expect(chunker.end()).toMatchObject([{ offset: 852, source: 'y'.repeat(300), gap: '\n\n' }])
  })

  test('[NR261] words that arrive one by one are cut only when the block is full, at the last good place', () => {
    const words = Array.from({ length: 700 }, (_, at) => `word${at % 7} `)
    const cuts = lengths(words)
    expect(cuts.slice(0, -1).every((length) => length > 1190 && length <= 1200)).toBe(true)
    const sentence = 'A sentence of a certain length that ends with a dot. '
    expect(texts(sentence.repeat(60)).every((text) => text.trim().endsWith('.'))).toBe(true)
  })

  test('[NR261] a line end is preferred to the end of a sentence, and that to a space', () => {
    const filled = (at: number, sign: string) => `${'x'.repeat(at)}${sign}`
    const text = `${filled(830, '\n')}${filled(100, '. ')}${filled(100, ' ')}${filled(400, '')}`
    expect(lengths([text])[0]).toBe(830)
    expect(lengths([text], { breakPreference: 'sentence' })[0]).toBe(932)
    expect(lengths([text.replace('\n', '-')])[0]).toBe(932)
    expect(lengths([text.replace('\n', '-').replace('.', '-')])[0]).toBe(1033)
  })

  test('[NR262] a remainder that fits is never split, so thirty short paragraphs at the end of a message are two blocks', () => {
    const text = Array.from({ length: 30 }, () => 'p'.repeat(50)).join('\n\n')
    expect(lengths([text], { isEager: false })).toEqual([1194, 362])
    expect(lengths([`${'x'.repeat(850)}\n\n${'y'.repeat(300)}`], { isEager: false })).toEqual([1152])
  })

  test('[NR263] in newline mode every paragraph is a piece, however short, and a code block keeps its blank lines', () => {
    const text = 'one\n\ntwo\nlines\n \n\n\n```\na\n\nb\n```\n\nlast'
    for (const isEager of [true, false])
      expect(texts(text, { chunkMode: 'newline', isEager })).toEqual(['one', 'two\nlines', '```\na\n\nb\n```', 'last'])
  })

  test('[NR264] white space is dropped only between pieces, and a blank piece is never sent', () => {
    expect(texts('\n\n  indented\n')).toEqual(['  indented\n'])
    expect(texts(' \n\t\n ')).toEqual([])
    expect(texts(' '.repeat(5000))).toEqual([])
  })
})

describe('code', () => {
  const line = (at: number) => `const value${at} = compute(${at})`
  const fence = (length: number, open = '```js') => {
    const lines = [open]
    for (let at = 0; lines.join('\n').length < length - 4; at += 1) lines.push(line(at))
    return `${[...lines, open.slice(0, 3)].join('\n')}`
  }

  test('[NR265] a long code block is closed and reopened within the limit, and cut between its lines', () => {
    const text = fence(2800)
    const pieces = texts(text)
    expect(pieces).toHaveLength(3)
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(1200)
      expect(piece.startsWith('```js\nconst ')).toBe(true)
      expect(piece.endsWith(')\n```')).toBe(true)
    }
    const inside = pieces.map((piece) => piece.slice(6, -4)).join('\n')
    expect(`\`\`\`js\n${inside}\n\`\`\``).toBe(text)
  })

  test('[NR265] a line of code longer than a block is cut within the limit and loses no white space', () => {
    const pieces = cut([`~~~\n${'a '.repeat(2000)}\n~~~`])
    expect(pieces.every((piece) => pieceText(piece).length <= 1200)).toBe(true)
    expect(pieces.map((piece) => piece.source).join('')).toBe(`~~~\n${'a '.repeat(2000)}\n~~~`)
  })

  test('[NR265] text before a code block is cut off before the code block is', () => {
    const text = `${'Some words. '.repeat(75)}\n${fence(900)}`
    expect(texts(text)[1]).toBe(fence(900))
    expect(texts(`${'x'.repeat(1190)}\n${fence(600)}`)).toEqual(['x'.repeat(1190), fence(600)])
  })

  test('[NR266] only a whole line can be a fence, so no cut inside a line creates one', () => {
    const small = { minChars: 20, maxChars: 60 } as const
    const within = `${'x'.repeat(60)}\`\`\`\n\nafter`
    expect(texts(within, { ...small, chunkMode: 'newline' })).toEqual(['x'.repeat(60), '```', 'after'])
    const indented = `${'x'.repeat(55)}\n   \`\`\`\n${'code\n'.repeat(20)}   \`\`\``
    const pieces = cut([indented], { ...small, breakPreference: 'sentence' })
    expect(pieces[0]?.source).toBe('x'.repeat(55))
    expect(pieces.slice(2).every(({ opening }) => opening === '   ```\n')).toBe(true)
  })

  test('[NR266] a fence is closed only by its own character, at least as long, alone on a line', () => {
    const text = '````md\n```\n\ninside\n~~~~\n````x\n\n````\n\nafter'
    expect(texts(text, { chunkMode: 'newline' })).toEqual([text.slice(0, -7), 'after'])
    expect(texts('```not` a fence\n\nafter', { chunkMode: 'newline' })).toHaveLength(2)
    expect(texts('    ```\n\nafter', { chunkMode: 'newline' })).toHaveLength(2)
    expect(texts('```\n\nnever closed', { chunkMode: 'newline' })).toHaveLength(1)
  })
})

const line = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 2, arbitrary: fc.lorem({ mode: 'sentences', maxCount: 3 }) },
  { weight: 3, arbitrary: fc.constantFrom('', '', ' ', '  indented line', 'a\tb  c') },
  { weight: 2, arbitrary: fc.constantFrom('```', '```js', '~~~~', '   ```', '``` `x', '````', '```sh  ', '~~~ a b c') },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(150), '👻'.repeat(60), 'no end! '.repeat(20)) },
)
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))
const options: fc.Arbitrary<ChunkOptions> = fc
  .record({
    minChars: fc.integer({ min: 1, max: 120 }),
    maxChars: fc.integer({ min: 40, max: 160 }),
    breakPreference: fc.constantFrom('paragraph' as const, 'newline' as const, 'sentence' as const),
    chunkMode: fc.constantFrom('length' as const, 'newline' as const),
    isEager: fc.boolean(),
  })
  .map((chosen) => ({ ...chosen, minChars: Math.min(chosen.minChars, chosen.maxChars) }))

function partition(whole: string, sizes: readonly number[]): string[] {
  const parts: string[] = []
  let rest = whole
  for (let at = 0; rest !== ''; at += 1) {
    const size = sizes[at % sizes.length] ?? 1
    parts.push(rest.slice(0, size))
    rest = rest.slice(size)
  }
  return parts
}

describe('any text', () => {
  test('[NR267] no piece exceeds the limit, is blank, or ends in half a character', () => {
    fc.assert(
      fc.property(text, options, (whole, chosen) => {
        for (const piece of cut([whole], chosen)) {
          expect(pieceText(piece).length).toBeLessThanOrEqual(chosen.maxChars)
          expect(piece.source.trim()).not.toBe('')
          expect(piece.source.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  test('[NR268] the pieces joined by their offsets give the text without some white space', () => {
    fc.assert(
      fc.property(text, options, (whole, chosen) => {
        let end = 0
        const pieces = cut([whole], chosen)
        for (const [at, piece] of pieces.entries()) {
          const between = whole.slice(end, piece.offset)
          expect(between.trim()).toBe('')
          expect(piece.gap).toBe(at === 0 ? null : between)
          expect(piece.source).toBe(whole.slice(piece.offset, piece.offset + piece.source.length))
          end = piece.offset + piece.source.length
        }
        expect(whole.slice(end).trim()).toBe('')
      }),
    )
  })

  test('[NR269] the pieces do not depend on how the text was split into deltas', () => {
    fc.assert(
      fc.property(
        text,
        options,
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
        (whole, chosen, sizes) => {
          const pieces = cut([whole], chosen)
          expect(cut(partition(whole, sizes), chosen)).toEqual(pieces)
          expect(cut(partition(whole, [1]), chosen)).toEqual(pieces)
        },
      ),
    )
  })

  test('[NR265] a piece that ends inside a code block closes it, and the next piece reopens it', () => {
    fc.assert(
      fc.property(text, options, (whole, chosen) => {
        const pieces = cut([whole], chosen)
        for (const [at, piece] of pieces.entries())
          expect(pieces[at + 1] === undefined || (piece.closing === '') === (pieces[at + 1]!.opening === '')).toBe(true)
      }),
    )
  })

  test('[NR270] the cost grows linearly: a million characters can arrive one by one', () => {
    const whole = `${'Some words of a long answer, and more of them.\n'.repeat(20)}\n`.repeat(1100)
    expect(whole.length).toBeGreaterThan(1_000_000)
    const whole1 = cut([whole])
    expect(cut(letters(whole))).toEqual(whole1)
  })
})
