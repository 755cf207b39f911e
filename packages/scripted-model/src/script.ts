/** One step of a scripted model. `forModel` on any step: skip it for another model id. */
export type ScriptStep = { readonly forModel?: string } & (
  | { readonly say: string }
  | { readonly think: string }
  /** Requests a tool. Several in one turn are parallel calls. */
  | { readonly callTool: string; readonly with?: Readonly<Record<string, unknown>>; readonly id?: string }
  /** A tool call with invalid JSON arguments. */
  | { readonly badArguments: string; readonly text?: string }
  /** Repeats part of the request. */
  | { readonly echo: EchoSubject }
  /** Writes a text slowly: a pause after every word. */
  | { readonly drip: { readonly text: string; readonly everyMs: number } }
  /** Milliseconds. */
  | { readonly wait: number }
  /** The usage to report; by default a quarter of the characters. */
  | { readonly usage: { readonly input: number; readonly output: number; readonly cacheRead?: number } }
  /** Raw bytes in the event stream, for garbage and unknown events. */
  | { readonly raw: string }
  | TurnEndingStep
)

/** A step of this kind is the last that is played. */
export type TurnEndingStep =
  | { readonly end: { readonly reason: 'length' | 'content-filter' } }
  /** An error status before the first output; an error event after it or with `inStream`. */
  | { readonly fail: ScriptedFailure }
  /** The connection breaks in the middle of the response. */
  | { readonly cut: true }
  /** The connection is reset before any response. */
  | { readonly refuse: true }
  /** Silence until the caller gives up. */
  | { readonly stall: true }
  /** The response ends cleanly in the middle of a tool call, without the last event. */
  | { readonly halfCall: string }
  /** A normal end, but the connection stays open. */
  | { readonly openSocket: true }
  /** A complete HTTP response: proxy pages, redirects. */
  | { readonly answer: ScriptedAnswer }

export interface ScriptedFailure {
  readonly status: number
  readonly message?: string
  /** The vendor's code, such as `insufficient_quota` or `overloaded_error`. */
  readonly code?: string
  /** Seconds or a date, sent as the `retry-after` header. */
  readonly retryAfter?: number | string
  /** Sends 200 and the error as the first event. */
  readonly inStream?: boolean
}

export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type EchoSubject = 'lastUser' | 'system' | 'toolResults' | 'messageCount' | 'toolNames' | 'model'

/** The steps of one model call. */
export type ScriptTurn = readonly ScriptStep[]

/** A script that cannot be played. Its message names the step. */
export class ScriptError extends Error {
  override name = 'ScriptError'
}

/** Parses a script: a list of turns, or a flat list of steps, which is one turn. */
export function parseScript(json: string): readonly ScriptTurn[] {
  let script: unknown
  try {
    script = JSON.parse(json)
  } catch (cause) {
    throw new ScriptError(`The script is not valid JSON: ${(cause as Error).message}`, { cause })
  }
  if (!Array.isArray(script))
    throw new ScriptError('A script must be a list of steps, or a list of turns that are lists of steps.')
  const isTurns = script.some((entry) => Array.isArray(entry))
  const turns: unknown[] = isTurns ? script : script.length > 0 ? [script] : []
  turns.forEach((turn, at) => {
    if (!Array.isArray(turn))
      throw new ScriptError(`Turn ${at + 1} is not a list of steps, but others of this script are.`)
    turn.forEach((step, index) => {
      checkStep(step, isTurns ? `Step ${index + 1} of turn ${at + 1}` : `Step ${index + 1}`)
    })
  })
  return turns as ScriptTurn[]
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isName: Check = (value) => typeof value === 'string' && value.length > 0
const isCount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isTrue: Check = (value) => value === true
const isStatus: Check = (value) => Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isHeaderText: Check = (value) => typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)
const isHeaders: Check = (value) =>
  isObject(value) &&
  Object.entries(value as object).every(([name, text]) => /^[\w-]+$/.test(name) && isHeaderText(text))
const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string)
/** Fields that end in `?` are optional; no others are allowed. */
const shape =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value as object).every((key) => key in fields || `${key}?` in fields) &&
    Object.entries(fields).every(([field, check]) => {
      const found = (value as Record<string, unknown>)[field.replace(/\?$/, '')]
      return found === undefined ? field.endsWith('?') : check(found)
    })

interface Verb {
  readonly check: Check
  readonly wants: string
  readonly besides?: Record<string, Check>
}

const MAX_WAIT_MS = 2 ** 31 - 1
const isDelay: Check = (value) => isCount(value) && (value as number) <= MAX_WAIT_MS
const text: Verb = { check: isText, wants: 'a text' }
const tool: Verb = { check: isName, wants: 'the name of a tool' }
const flag: Verb = { check: isTrue, wants: 'true' }
const VERBS: Readonly<Record<string, Verb>> = {
  say: text,
  think: text,
  raw: text,
  callTool: { ...tool, besides: { with: isObject, id: isName } },
  badArguments: { ...tool, besides: { text: isText } },
  halfCall: tool,
  echo: {
    check: oneOf('lastUser', 'system', 'toolResults', 'messageCount', 'toolNames', 'model'),
    wants: 'one of lastUser, system, toolResults, messageCount, toolNames, model',
  },
  drip: { check: shape({ text: isText, everyMs: isDelay }), wants: '{ text, everyMs }' },
  wait: { check: isDelay, wants: 'a number of milliseconds' },
  usage: {
    check: shape({ input: isCount, output: isCount, 'cacheRead?': isCount }),
    wants: '{ input, output, cacheRead? }',
  },
  end: {
    check: shape({ reason: oneOf('length', 'content-filter') }),
    wants: "{ reason: 'length' | 'content-filter' }",
  },
  fail: {
    check: shape({
      status: isStatus,
      'message?': isText,
      'code?': isName,
      'retryAfter?': (value) => isCount(value) || isHeaderText(value),
      'inStream?': (value) => typeof value === 'boolean',
    }),
    wants: '{ status, message?, code?, retryAfter?, inStream? }',
  },
  answer: {
    check: shape({ status: isStatus, 'headers?': isHeaders, 'body?': isText }),
    wants: '{ status, headers?, body? }',
  },
  cut: flag,
  refuse: flag,
  stall: flag,
  openSocket: flag,
}

function checkStep(step: unknown, where: string): void {
  if (!isObject(step)) throw new ScriptError(`${where} is not an object.`)
  const fields = step as Record<string, unknown>
  const names = Object.keys(fields).filter((key) => Object.hasOwn(VERBS, key))
  if (names.length !== 1)
    throw new ScriptError(
      `${where} must have exactly one of ${Object.keys(VERBS).join(', ')}; it has ${names.join(' and ') || 'none'}.`,
    )
  const name = names[0]!
  const verb = VERBS[name]!
  if (!verb.check(fields[name])) throw new ScriptError(`${where}: ${name} must be ${verb.wants}.`)
  for (const [key, value] of Object.entries(fields)) {
    if (key === name) continue
    const check = key === 'forModel' ? isName : verb.besides?.[key]
    if (!check) throw new ScriptError(`${where}: ${name} has no “${key}”.`)
    if (!check(value)) throw new ScriptError(`${where}: “${key}” of ${name} has the wrong type.`)
  }
}
