import type { ScriptedRequest, ScriptedToolCall } from '../message.ts'
import type { CleanEnd, TurnContent, TurnEvent } from '../play-turn.ts'
import type { ScriptedFailure } from '../script.ts'

export type JsonObject = Readonly<Record<string, unknown>>
export type TurnStart = Extract<TurnEvent, { type: 'start' }>

export interface WireRequest extends ScriptedRequest {
  readonly model: string
  readonly stream: boolean
  /** Whether the stream includes its usage. */
  readonly includeUsage: boolean
}

/** One vendor's request and response formats. Pure text, no I/O. */
export interface Protocol {
  /** Reads a request body; a returned string is the problem. */
  read(body: JsonObject): WireRequest | string
  streamWriter(request: WireRequest, start: TurnStart): StreamWriter
  /** The response to a request without a stream. */
  wholeAnswer(request: WireRequest, start: TurnStart, content: readonly TurnContent[], end: CleanEnd): JsonObject
  errorBody(failure: ScriptedFailure): JsonObject
}

/**
 * Writes one response as server-sent events. `open` comes first; one of `end`, `fail`, `halfCall` at most once and
 * last.
 */
export interface StreamWriter {
  open(): string
  content(content: TurnContent): string
  end(end: CleanEnd): string
  fail(failure: ScriptedFailure): string
  halfCall(call: ScriptedToolCall): string
}

/** Responses contain a fixed time, so that the same request gets the same bytes. */
export const ANSWER_TIME = 1_700_000_000

export const failureMessage = ({ status, message }: ScriptedFailure) =>
  message ?? `The scripted model responds with status ${status}.`

/** Splits into a few pieces, so that readers have something to join. */
export function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 4))
  const cut: string[] = []
  for (let at = 0; at < text.length; at += size) cut.push(text.slice(at, at + size))
  return cut
}

export const listIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The text of a `content` field: a string, or a list of parts of which some contain text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return listIn(content)
    .map((part) => textIn(part.text))
    .filter((text) => text !== '')
    .join('\n')
}
