import { expect, test } from 'vitest'
import {
  EMPTY_DRAFT,
  piecesOf,
  type RoomDraft,
  readDraft,
  recipientsOf,
  storedDraft,
  withAt,
  withMention,
  withoutWordAt,
  withSkip,
  withText,
} from './room-draft.ts'

const KIT = { id: 'kit-1', displayName: 'Kit' }
const MOSS = { id: 'moss-2', displayName: 'Moss the Old' }
const everybody = () => true

/** Types a text into an empty draft and picks Kit at each `|`. */
function draftWithKit(text: string): RoomDraft {
  const at = text.indexOf('|')
  const plain = text.replace('|', '')
  return withMention(withText(EMPTY_DRAFT, plain, plain.length), { at, end: at }, KIT).draft
}

test('[PG262] picking a Boo asks it, and only typing its name does not', () => {
  expect(recipientsOf(withText(EMPTY_DRAFT, 'Ask @Kit about it', 17), everybody)).toEqual([])
  const typed = withText(EMPTY_DRAFT, 'Ask @ki', 7)
  const { draft, caret } = withMention(typed, { at: 4, end: 7 }, KIT)
  expect([draft.text, caret]).toEqual(['Ask @Kit ', 9])
  expect(recipientsOf(draft, everybody)).toEqual(['kit-1'])
  expect(recipientsOf(draft, () => false)).toEqual([])
})

test('[PG262] a picked mention moves with the text around it', () => {
  const draft = draftWithKit('Ask | now')
  expect(draft.text).toBe('Ask @Kit now')
  const before = withText(draft, 'Please ask @Kit now', 11)
  const behind = withText(before, 'Please ask @Kit now, twice', 26)
  expect(recipientsOf(behind, everybody)).toEqual(['kit-1'])
  expect(piecesOf(behind)).toEqual([
    { text: 'Please ask ', isMarked: false },
    { text: '@Kit', isMarked: true },
    { text: ' now, twice', isMarked: false },
  ])
})

test.each([
  ['a letter less', 'Ask @Ki now', 7],
  ['a letter within', 'Ask @Kiit now', 8],
  ['a letter behind', 'Ask @Kits now', 9],
  ['the word removed', 'Ask  now', 4],
  ['all replaced', 'Something else', 14],
])('[PG262] %s removes the recipient', (_, text, caret) => {
  expect(recipientsOf(withText(draftWithKit('Ask | now'), text, caret), everybody)).toEqual([])
})

test('[PG262] removing one of two equal mentions keeps the other', () => {
  const first = draftWithKit('|')
  const both = withMention(withText(first, '@Kit @', 6), { at: 5, end: 6 }, KIT).draft
  expect(both.mentions).toHaveLength(2)
  const one = withText(both, ' @Kit ', 0)
  expect(one.mentions).toEqual([{ agentId: 'kit-1', at: 1, word: '@Kit' }])
  expect(recipientsOf(both, everybody)).toEqual(['kit-1'])
})

test('[PG262] Backspace after a picked mention removes all of it', () => {
  const { draft } = withMention(withText(EMPTY_DRAFT, 'Hey @', 5), { at: 4, end: 5 }, MOSS)
  expect(withoutWordAt(draft, 7)).toBeNull()
  const erased = withoutWordAt(draft, 17)
  expect([erased?.draft.text, erased?.caret, erased?.draft.mentions]).toEqual(['Hey  ', 4, []])
})

test('[PG262] a picked Boo is no longer left out', () => {
  const draft = { ...withText(EMPTY_DRAFT, '@', 1), skip: ['kit-1', 'moss-2'] }
  expect(withMention(draft, { at: 0, end: 1 }, KIT).draft.skip).toEqual(['moss-2'])
})

test('[PG260] a stored draft keeps its picked Boos and those left out', () => {
  const draft = { ...draftWithKit('Ask | now'), skip: ['moss-2'] }
  expect(readDraft(storedDraft(draft))).toEqual(draft)
  expect(storedDraft(withText(draft, '', 0))).toBeNull()
})

test.each([
  ['nothing', null, EMPTY_DRAFT],
  ['no JSON', '{', EMPTY_DRAFT],
  ['no text', '{"mentions":[]}', EMPTY_DRAFT],
  [
    'mentions that are not in the text',
    '{"text":"Ask @Kit","mentions":[{"agentId":"a","at":3,"word":"@Kit"},{"at":4},null],"skip":[1]}',
    { text: 'Ask @Kit', mentions: [], skip: [] },
  ],
])('[PG260] %s gives only the valid parts of a draft', (_, stored, draft) => {
  expect(readDraft(stored)).toEqual(draft)
})

test('[PG261] the button inserts an @ at the cursor, separated from the word before it', () => {
  expect(withAt(EMPTY_DRAFT, 0, 0)).toMatchObject({ draft: { text: '@' }, caret: 1 })
  const draft = draftWithKit('Ask | now')
  const { draft: next, caret } = withAt(draft, 8, 12)
  expect([next.text, caret, next.mentions.length]).toEqual(['Ask @Kit @', 10, 1])
})

test('[PG263] an unticked Boo is left out once, and ticking it again includes it', () => {
  const skipped = withSkip(withSkip(EMPTY_DRAFT, 'kit-1', true), 'kit-1', true)
  expect(skipped.skip).toEqual(['kit-1'])
  expect(withSkip(skipped, 'kit-1', false).skip).toEqual([])
})
