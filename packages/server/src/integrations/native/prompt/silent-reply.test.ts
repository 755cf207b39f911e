import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HeldBack, isSilentReply, mayBecomeSilent, NOTHING_HELD, passOn, SILENT_TOKEN } from './silent-reply.ts'

/** The texts passed on for each chunk. */
function delivered(chunks: readonly string[]): string[] {
  let held: HeldBack = NOTHING_HELD
  return chunks.map((chunk, at) => {
    const step = passOn(held, chunk, at === chunks.length - 1)
    held = step.held
    return step.release
  })
}

test('[NR38] only an answer that is the token alone is silent, in upper or lower case', () => {
  for (const text of ['NO_REPLY', 'no_reply', ' No_Reply\n']) expect(isSilentReply(text)).toBe(true)
  for (const text of [
    '',
    'NO_REPLY.',
    '"NO_REPLY"',
    'NO_REPLY but',
    'I say NO_REPLY',
    'NO REPLY',
    'NO_REPLYNO_REPLY',
  ]) {
    expect(isSilentReply(text)).toBe(false)
  }
})

test('[NR39] the beginning of the token is held back and released as soon as another word appears', () => {
  for (const text of ['', ' ', 'N', 'no', 'NO_RE', 'NO_REPLY', 'NO_REPLY \n']) expect(mayBecomeSilent(text)).toBe(true)
  for (const text of ['Nothing', 'no ', 'NO_REPLY.', 'NO_REPLY a', 'x']) expect(mayBecomeSilent(text)).toBe(false)
  expect(delivered(['NO', '_REP', 'LY', ''])).toEqual(['', '', '', ''])
  expect(delivered(['NO', 't now', ' please'])).toEqual(['', 'NOt now', ' please'])
  expect(delivered(['No'])).toEqual(['No'])
  expect(delivered(['NO_REPLY', ' and more', ''])).toEqual(['', 'NO_REPLY and more', ''])
})

test('[NR39] an answer in any chunks is delivered in full or, if silent, not at all', () => {
  const pieces = fc.array(
    fc.oneof(fc.constantFrom('NO', '_RE', 'PLY', SILENT_TOKEN, ' ', '\n', 'no'), fc.string({ maxLength: 4 })),
  )
  fc.assert(
    fc.property(pieces, (chunks) => {
      const whole = chunks.join('')
      expect(delivered([...chunks, '']).join('')).toBe(isSilentReply(whole) ? '' : whole)
    }),
  )
})
