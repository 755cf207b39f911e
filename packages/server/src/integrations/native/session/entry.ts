import type { ImageContent, Message, TextContent } from './message.ts'

/** The first line of a transcript. */
export interface SessionHeader {
  readonly type: 'session'
  readonly version: number
  readonly id: string
  readonly timestamp: string
  readonly cwd: string
  /** The key of the session in the index. A lost index is rebuilt from this field. */
  readonly sessionKey?: string
}

export const TRANSCRIPT_VERSION = 3

/** The content of one line of a transcript. A model sees only the first four kinds. */
export type EntryBody =
  | { readonly type: 'message'; readonly message: Message }
  | CompactionBody
  | { readonly type: 'branch_summary'; readonly fromId: string; readonly summary: string }
  | {
      readonly type: 'custom_message'
      readonly customType: string
      readonly content: string | readonly (TextContent | ImageContent)[]
      /** Whether the page shows this message. */
      readonly display: boolean
    }
  | { readonly type: 'custom'; readonly customType: string; readonly data?: unknown }
  | { readonly type: 'model_change'; readonly provider: string; readonly modelId: string }
  | { readonly type: 'thinking_level_change'; readonly thinkingLevel: string }
  | { readonly type: 'label'; readonly targetId: string; readonly label?: string }
  | { readonly type: 'session_info'; readonly name: string }

export interface CompactionBody {
  readonly type: 'compaction'
  readonly summary: string
  /** The compaction's own id = keep nothing before it. */
  readonly firstKeptEntryId: string
  readonly tokensBefore: number
  readonly details?: CompactionDetails
}

export interface CompactionDetails {
  /** Estimated size of the remaining context. The next compaction waits until the context has grown past it. */
  readonly tokensAfter?: number
  /** Ids of the newest messages that left the context, so that a second delivery is still recognised. */
  readonly messageIds?: readonly string[]
  readonly [key: string]: unknown
}

/** An entry as read from disk. Only the four named fields are checked. */
export interface StoredEntry {
  readonly type: string
  readonly id: string
  readonly parentId: string | null
  readonly timestamp: string
  readonly [field: string]: unknown
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** null = not a JSON object with a `type`. */
export function parseLine(line: string): (JsonObject & { readonly type: string }) | null {
  try {
    const value: unknown = JSON.parse(line)
    return isTyped(value) ? value : null
  } catch {
    return null
  }
}

function isTyped(value: unknown): value is JsonObject & { readonly type: string } {
  return isObject(value) && typeof value.type === 'string'
}

export function isHeader(value: JsonObject | null): value is JsonObject & SessionHeader {
  return value?.type === 'session' && typeof value.id === 'string'
}

/** null = a required field is missing. A missing timestamp is acceptable. */
export function entryFrom(value: JsonObject & { readonly type: string }): StoredEntry | null {
  const { type, id, parentId, timestamp } = value
  if (typeof id !== 'string' || id === '' || type === 'session') return null
  if (parentId !== null && typeof parentId !== 'string') return null
  return { ...value, type, id, parentId, timestamp: typeof timestamp === 'string' ? timestamp : '' }
}

/** Writes the four fixed fields first, so that a line can be recognised by its beginning. */
export function entryLine({ type, id, parentId, timestamp, ...rest }: StoredEntry): string {
  return JSON.stringify({ type, id, parentId, timestamp, ...rest })
}
