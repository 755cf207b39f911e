/** The last post that was read, by team. */
export type ReadMarks = Readonly<Record<string, number>>

/** Anything may stand in a browser's storage. */
export function parseMarks(text: string | null): ReadMarks {
  try {
    const found: unknown = JSON.parse(text ?? '{}')
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return {}
    return Object.fromEntries(
      Object.entries(found).filter(([, seq]) => Number.isSafeInteger(seq) && (seq as number) >= 0),
    ) as ReadMarks
  } catch {
    return {}
  }
}

/** Merges the read marks of two tabs. */
export function laterMarks(one: ReadMarks, other: ReadMarks): ReadMarks {
  const both = { ...one }
  for (const [teamId, seq] of Object.entries(other)) both[teamId] = Math.max(both[teamId] ?? 0, seq)
  return both
}

/** Whether a room has unread posts. A room that was never opened here has none. */
export function isUnread(mark: number | undefined, head: number | undefined): boolean {
  return mark !== undefined && head !== undefined && mark < head
}

/** The read state of one visit to a room. */
export interface Reading {
  /** The last post that was on the screen. */
  readonly read: number
  /** The first post of what was new, above which a line stands; null = there was nothing new. */
  readonly line: number | null
}

/** At the beginning of a visit. A mark beyond the head is of a room that was begun anew. */
export function beginReading(mark: number | undefined, head: number): Reading {
  if (mark === undefined || mark >= head) return { read: head, line: null }
  return { read: mark, line: mark + 1 }
}

/** Posts up to this one have been on the screen of a page that somebody could see. */
export function sawPost(reading: Reading, seq: number): Reading {
  return seq <= reading.read ? reading : { ...reading, read: seq }
}

/** Posts came. Where all before them had been read, and nobody sees them come, a new line begins. */
export function tookPosts(
  reading: Reading,
  { before, isSeen }: { readonly before: number; readonly isSeen: boolean },
): Reading {
  return isSeen || reading.read < before ? reading : { ...reading, line: before + 1 }
}
