import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limitText, limitToolResult, resultMaxChars } from './result-limit.ts'

test('[NR119] a result is limited to 16000 characters or 30 % of the window at 4 characters per token', () => {
  expect(resultMaxChars(200_000)).toBe(16_000)
  expect(resultMaxChars(13_334)).toBe(16_000)
  expect(resultMaxChars(10_000)).toBe(12_000)
  const exact = [{ type: 'text', text: 'x'.repeat(16_000) }] as const
  expect(limitToolResult(exact, 16_000)).toBe(exact)
})

test('[NR119] at least 2000 characters are kept, however small the window', () => {
  expect(limitText('x'.repeat(5000), resultMaxChars(500))).toMatch(/^x{2000}\n\n\[3000 characters/)
  expect(limitText('x'.repeat(1500), resultMaxChars(100))).toBe('x'.repeat(1500))
})

test('[NR120] the end is kept when it looks important', () => {
  const body = `${'a line of nothing much\n'.repeat(2000)}`
  const failed = limitText(`${body}Error: it broke\n`, 16_000)
  expect(failed).toContain('[... the middle was left out ...]')
  expect(failed).toContain('Error: it broke')
  for (const end of ['}', '3 tests passed', 'Total: 12']) expect(limitText(`${body}${end}`, 16_000)).toContain(end)
  const tail = failed.split('[... the middle was left out ...]')[1]!
  expect(tail.length).toBeLessThanOrEqual(4000 + 150)
  const plain = limitText(`${body}nothing`, 16_000)
  expect(plain).not.toContain('the middle is left out')
  expect(plain).not.toContain('nothing\n\n[')
})

test('[NR120] the beginning is cut at a newline if one is in its last fifth', () => {
  const cut = limitText(`${'x'.repeat(14_000)}\n${'y'.repeat(20_000)}`, 16_000)
  expect(cut).toMatch(/^x{14000}\n\n\[20001 characters/)
  expect(limitText(`${'x'.repeat(5000)}\n${'y'.repeat(20_000)}`, 16_000)).toMatch(/^x{5000}\ny{10000,11000}\n\n\[/)
})

test('[NR121] the result never exceeds the limit, splits no character, and reports the omitted length', () => {
  const piece = fc.constantFrom('😀', 'é', 'word ', '\n', 'error', '}', 'x'.repeat(900), '👩‍👩‍👧'.repeat(50))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), fc.integer({ min: 2200, max: 20_000 }), (pieces, max) => {
      const text = pieces.join('')
      const limited = limitText(text, max)
      expect(limited.length).toBeLessThanOrEqual(Math.max(max, 0))
      expect(limited.isWellFormed()).toBe(true)
      if (text.length <= max) expect(limited).toBe(text)
      else {
        const removed = Number(/\[(\d+) characters of this result/.exec(limited)![1])
        const kept = limited
          .replace('\n\n[... the middle was left out ...]\n\n', '')
          .replace(/\n\n\[\d+ characters of this result.*$/, '')
        expect(kept.length + removed).toBe(text.length)
      }
    }),
  )
})

test('[NR121] several texts share the limit, and images pass', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'x'.repeat(50_000) } as const
  const limited = limitToolResult(
    [{ type: 'text', text: 'a'.repeat(20_000) }, image, { type: 'text', text: 'b'.repeat(60_000) }],
    16_000,
  )
  expect(limited[1]).toBe(image)
  const lengths = limited.map((part) => (part.type === 'text' ? part.text.length : 0))
  expect(lengths[0]! + lengths[2]!).toBeLessThanOrEqual(16_000)
  expect(lengths[2]!).toBeGreaterThan(lengths[0]! * 2)
})
