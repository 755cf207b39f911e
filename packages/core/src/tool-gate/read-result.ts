import { foldOutside, unescaped } from './fold-text.ts'
import type { GateMemory, ValueTrace } from './gate-memory.ts'
import type { PersonWords } from './person-words.ts'
import { traceKey } from './trace-key.ts'
import { isEmail, namesInEmail } from './value-shapes.ts'
import { spaced, stem } from './word-stem.ts'

const MAX_RESULT_CHARACTERS = 200_000
const MAX_TRACES = 20_000
const MAX_NEAR = 8
const WINDOW = 200
const MAX_TOKEN = 2000

/** Runs of characters that can be a value: words with a digit, addresses, paths. */
const TOKEN = /[\p{L}\p{N}/~_][^\s"'`<>()[\]{},;|]*/gu
const IS_VALUE = /[\d@/]|\w\.\w/
const IS_ADDRESS = /[@/]|\w\.\w/

/**
 * Adds the values of a result to the memory, in time proportional to the length of the result up to a fixed maximum.
 * What is cut off is recorded as such, because a value that was not seen may have been there.
 */
export function readResult(memory: GateMemory, person: PersonWords, source: string, result: string, echo: Echo): void {
  const index = memory.sources.push(source) - 1
  if (result.length > MAX_RESULT_CHARACTERS) memory.wasCut = true
  const text = result.slice(0, MAX_RESULT_CHARACTERS)
  // A backslash may be an escape or a part of a path.
  const readings = text.includes('\\') ? [unescaped(text), text] : [text]
  for (const reading of readings)
    for (const record of recordsOf(foldOutside(reading))) readRecord(memory, person, index, record, echo)
}

/** The values of the call itself. Repeated in the result of a call that acts, they are not new. */
export interface Echo {
  readonly values: ReadonlySet<string>
  readonly acts: boolean
}

function readRecord(memory: GateMemory, person: PersonWords, index: number, record: string, echo: Echo): void {
  const inRecord = thingsNear(record, person)
  for (const match of record.matchAll(TOKEN)) {
    const token = match[0].replace(/[.,:;!?]+$/, '')
    if (token.length > MAX_TOKEN) memory.wasCut = true
    if (token.length > MAX_TOKEN || !IS_VALUE.test(token)) continue
    const key = traceKey(token)
    const isEchoed = echo.values.has(key)
    if (isEchoed && echo.acts) continue
    // A value that the agent asked for was not chosen by the record that answers.
    const isField = !isEchoed && isWholeField(record, match.index, token.length)
    const trace = memory.traces.get(key) ?? addTrace(memory, key, index, isField)
    if (!trace) continue
    const isAddress = IS_ADDRESS.test(token)
    const things = isAddress ? thingsNear(sentenceAround(record, match.index, token.length), person) : inRecord
    for (const thing of things) if (trace.near.length < MAX_NEAR && !trace.near.includes(thing)) trace.near.push(thing)
    if (isEmail(token)) noteAddress(memory, person, token)
  }
}

function addTrace(memory: GateMemory, key: string, source: number, isField: boolean): ValueTrace | null {
  if (memory.traces.size >= MAX_TRACES) {
    memory.wasCut = true
    return null
  }
  const trace = { source, isField, near: [] }
  memory.traces.set(key, trace)
  return trace
}

/** The parts of a result that each describe one thing: objects of JSON, items of a list, paragraphs. */
function recordsOf(text: string): string[] {
  if (/^\s*[[{]/.test(text)) return text.split(/(?<=\})/)
  return text.split(/^\s*- /.test(text) ? /\n(?=- )/ : /\n\s*\n/)
}

/** The sentence with a value in it, not beyond a fixed distance. */
function sentenceAround(record: string, at: number, length: number): string {
  const before = record.slice(Math.max(0, at - WINDOW), at).split(SENTENCE_END)
  const after = record.slice(at + length, at + length + WINDOW).split(SENTENCE_END)
  return `${before.at(-1)}${record.slice(at, at + length)}${after[0]}`
}

const SENTENCE_END = /[.!?](?=\s|\\n)/

/** The person's things among the words of a record. The name of a field says nothing: every record has it. */
function thingsNear(text: string, { things }: PersonWords): string[] {
  const found = new Set<string>()
  if (things.size === 0) return []
  for (const match of spaced(text).matchAll(/\p{L}{3,}/gu)) {
    const word = stem(match[0].toLowerCase())
    if (!things.has(word)) continue
    const rest = match.input.slice(match.index, match.index + 80)
    if (!/^[\p{L}\p{N}_]*["']?\s?[:=](?!\s*[[{]|\/\/)/u.test(rest)) found.add(word)
    if (found.size >= MAX_NEAR) break
  }
  return [...found]
}

function isWholeField(record: string, at: number, length: number): boolean {
  const before = record.slice(Math.max(0, at - 20), at)
  const after = record.slice(at + length, at + length + 8).replace(/^ +/, '')[0] ?? '\n'
  const opens = /(?:^|\n) *$/.test(before) || ':="\'`[(<>-|{,'.includes(before.trimEnd().at(-1) ?? ':')
  return opens && '\n"\'`,])}<>|'.includes(after)
}

function noteAddress(memory: GateMemory, person: PersonWords, address: string): void {
  for (const name of namesInEmail(address))
    if ((person.names.has(name) || person.ownNames.has(name)) && !memory.addressByName.has(name))
      memory.addressByName.set(name, address.toLowerCase())
}
