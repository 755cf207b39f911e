import { fold } from '../../../ui/words/search-words.ts'
import type { RoomDraft } from './room-draft.ts'

/** A name being typed, from its `@` to the cursor. */
export interface MentionPlace {
  readonly at: number
  readonly end: number
  readonly query: string
}

const LONGEST_QUERY = 60

/** The mention being typed at the cursor; null = none. An address such as a@b is not a mention. */
export function mentionPlace({ text, mentions }: RoomDraft, caret: number): MentionPlace | null {
  const at = text.lastIndexOf('@', caret - 1)
  if (at < 0 || caret - at > LONGEST_QUERY) return null
  if (mentions.some((mention) => mention.at === at)) return null
  if (/[\p{L}\p{N}_]$/u.test(text.slice(0, at))) return null
  const query = text.slice(at + 1, caret)
  return /[\n\r]|^\s/.test(query) ? null : { at, end: caret, query }
}

/** The Boos with a matching name, best match first; equal matches keep their order. */
export function foundBoos<Boo extends { readonly displayName: string }>(
  boos: readonly Boo[],
  query: string,
): readonly Boo[] {
  const wanted = fold(query)
  const rank = ({ displayName }: Boo): number => {
    const name = fold(displayName)
    if (name.startsWith(wanted)) return 0
    if (name.split(/[\s._-]+/).some((word) => word.startsWith(wanted))) return 1
    return name.includes(wanted) ? 2 : 3
  }
  return boos
    .map((boo) => ({ boo, rank: rank(boo) }))
    .filter((found) => found.rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ boo }) => boo)
}
