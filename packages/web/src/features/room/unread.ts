/** The last post that was read, by team. */
export type ReadMarks = Readonly<Record<string, number>>

/** The browser's storage can contain anything. */
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
  /** The last post that was visible. */
  readonly read: number
  /** The first new post, below the unread line; null = nothing was new. */
  readonly line: number | null
}

/** The state at the start of a visit. A mark beyond the head belongs to a room that was reset. */
export function beginReading(mark: number | undefined, head: number): Reading {
  if (mark === undefined || mark >= head) return { read: head, line: null }
  return { read: mark, line: mark + 1 }
}

/** Marks posts up to this one as visible on a page that the person could see. */
export function sawPost(reading: Reading, seq: number): Reading {
  return seq <= reading.read ? reading : { ...reading, read: seq }
}

/** Adds new posts. If all earlier posts were read and nobody sees the new ones, a new unread line starts. */
export function tookPosts(
  reading: Reading,
  { before, isSeen }: { readonly before: number; readonly isSeen: boolean },
): Reading {
  return isSeen || reading.read < before ? reading : { ...reading, line: before + 1 }
}
