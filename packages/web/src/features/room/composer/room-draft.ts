import { parseStored } from '../../../ui/state/stored-text.ts'
/** A picked Boo: its name is in the text and asks it to reply. */
export interface PickedMention {
  readonly agentId: string
  /** The index of its `@`. */
  readonly at: number
  readonly word: string
}

export interface RoomDraft {
  readonly text: string
  /** In the order of the text. */
  readonly mentions: readonly PickedMention[]
  /** Boos that must not run because of this message. */
  readonly skip: readonly string[]
}

export const EMPTY_DRAFT: RoomDraft = { text: '', mentions: [], skip: [] }

/** The draft after a change of its text, with the cursor at `caret`. An edited mention becomes plain text. */
export function withText(draft: RoomDraft, text: string, caret: number): RoomDraft {
  if (text === '') return EMPTY_DRAFT
  const { start, end, added } = changeOf(draft.text, text, caret)
  const shift = added - (end - start)
  const mentions = draft.mentions.flatMap((mention) => {
    if (mention.at + mention.word.length <= start) return [mention]
    return mention.at >= end ? [{ ...mention, at: mention.at + shift }] : []
  })
  return { ...draft, text, mentions: mentions.filter((mention) => standsIn(text, mention)) }
}

/** Replaces the partly typed name with the name of a Boo. */
export function withMention(
  draft: RoomDraft,
  place: { readonly at: number; readonly end: number },
  boo: { readonly id: string; readonly displayName: string },
): { readonly draft: RoomDraft; readonly caret: number } {
  const word = `@${boo.displayName}`
  const behind = draft.text.slice(place.end)
  const space = /^\s/.test(behind) ? '' : ' '
  const text = draft.text.slice(0, place.at) + word + space + behind
  const caret = place.at + word.length + 1
  const moved = withText(draft, text, place.at + word.length + space.length)
  const mentions = [...moved.mentions, { agentId: boo.id, at: place.at, word }].toSorted((a, b) => a.at - b.at)
  // A person who mentions a Boo wants it to run.
  const skip = moved.skip.filter((id) => id !== boo.id)
  return { draft: { text, mentions, skip }, caret }
}

/** Replaces the selection with an `@`, ready for a name. */
export function withAt(
  draft: RoomDraft,
  start: number,
  end: number,
): { readonly draft: RoomDraft; readonly caret: number } {
  const before = draft.text.slice(0, start)
  const front = before === '' || /\s$/.test(before) ? `${before}@` : `${before} @`
  return { draft: withText(draft, front + draft.text.slice(end), front.length), caret: front.length }
}

export function withSkip(draft: RoomDraft, agentId: string, isSkipped: boolean): RoomDraft {
  const others = draft.skip.filter((id) => id !== agentId)
  return { ...draft, skip: isSkipped ? [...others, agentId] : others }
}

/** Removes the picked name that ends at the cursor; null when there is none. */
export function withoutWordAt(
  draft: RoomDraft,
  caret: number,
): { readonly draft: RoomDraft; readonly caret: number } | null {
  const mention = draft.mentions.find(({ at, word }) => at + word.length === caret)
  if (!mention) return null
  const text = draft.text.slice(0, mention.at) + draft.text.slice(caret)
  return { draft: withText(draft, text, mention.at), caret: mention.at }
}

/** The mentioned agents, each once, in the order of the text. */
export function recipientsOf({ mentions }: RoomDraft, isThere: (agentId: string) => boolean): readonly string[] {
  return [...new Set(mentions.map(({ agentId }) => agentId).filter(isThere))]
}

/** The text in pieces, marked and unmarked. */
export function piecesOf({
  text,
  mentions,
}: RoomDraft): readonly { readonly text: string; readonly isMarked: boolean }[] {
  const pieces: { text: string; isMarked: boolean }[] = []
  let from = 0
  for (const { at, word } of mentions) {
    pieces.push({ text: text.slice(from, at), isMarked: false }, { text: word, isMarked: true })
    from = at + word.length
  }
  return [...pieces, { text: text.slice(from), isMarked: false }].filter((piece) => piece.text !== '')
}

export function storedDraft(draft: RoomDraft): string | null {
  return draft.text === '' ? null : JSON.stringify(draft)
}

/** An unreadable draft counts as empty. A mention that is not in the text is dropped. */
export function readDraft(stored: string | null): RoomDraft {
  const { text, mentions, skip } = parseStored(stored)
  if (typeof text !== 'string' || text === '') return EMPTY_DRAFT
  const known = listOf(mentions).filter(isMention)
  return {
    text,
    mentions: known.filter((mention) => standsIn(text, mention)).toSorted((a, b) => a.at - b.at),
    skip: listOf(skip).filter((id) => typeof id === 'string'),
  }
}

/** A name followed by more letters is another word. */
function standsIn(text: string, { at, word }: PickedMention): boolean {
  return text.startsWith(word, at) && !/^[\p{L}\p{N}_]/u.test(text.slice(at + word.length))
}

/** The text from `start` to `end` was replaced by `added` characters. */
function changeOf(before: string, after: string, caret: number) {
  // The change ends at the cursor, which decides between equal letters.
  const mostBehind = Math.min(before.length, after.length - Math.min(caret, after.length))
  let behind = 0
  while (behind < mostBehind && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  const mostFront = Math.min(before.length, after.length) - behind
  let start = 0
  while (start < mostFront && before[start] === after[start]) start += 1
  return { start, end: before.length - behind, added: after.length - behind - start }
}

function isMention(value: unknown): value is PickedMention {
  const { agentId, at, word } = (value ?? {}) as Record<string, unknown>
  return typeof agentId === 'string' && typeof word === 'string' && word.startsWith('@') && Number.isSafeInteger(at)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
