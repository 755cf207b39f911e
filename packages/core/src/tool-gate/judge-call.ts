import { type CallValue, carriedValues, type ValueKind, valuesOfCall } from './call-values.ts'
import type { GateMemory } from './gate-memory.ts'
import type { PersonWords } from './person-words.ts'
import { suggestsEffect } from './suggests-effect.ts'
import { effectOfTool, type GatedTool, type ToolEffect, visitActs } from './tool-effect.ts'
import { traceKey } from './trace-key.ts'
import { webAddress } from './value-shapes.ts'
import { type Support, type SupportBounds, supportOf } from './value-support.ts'

/**
 * How much the person's words cover. `strict`: only what they contain. `usual`: also what was found next to what they
 * name. `relaxed`: also what they hardly name, in a call that they did not suggest.
 */
export type Strictness = 'strict' | 'usual' | 'relaxed'

export interface GateView {
  readonly memory: GateMemory
  readonly person: PersonWords
  readonly strictness: Strictness
}

/** Why a call needs a person. */
export interface Doubt {
  readonly effect: ToolEffect
  /** The value in doubt, or null if nobody asked for the call at all. */
  readonly value: CallValue | null
  /** How many more values are in doubt. */
  readonly others: number
  /** The keys that a yes allows for the rest of the task: the values of the call, whether or not they were in doubt. */
  readonly covers: readonly string[]
}

interface Judged {
  readonly value: CallValue
  readonly support: Support
  readonly isAllowed: boolean
  readonly isDoubtful: boolean
}

/** Null if the call may run without a question. */
export function doubtAbout(args: unknown, tool: GatedTool, view: GateView): Doubt | null {
  const { memory, person, strictness } = view
  const isRelaxed = strictness === 'relaxed'
  const { values, isCut } = valuesOfCall(args)
  const effect = effectOfCall(tool, values, memory)
  // Before any result, nobody but the person can have influenced a call.
  if (effect === null || effect === 'reads' || memory.sources.length === 0) return null
  // The rest of the call could be anything, so no answer covers a second call like this one.
  if (isCut) return { effect, value: null, others: 0, covers: [] }
  const judged = decidingValues(values, effect, isRelaxed).map((value) => judge(value, effect, tool, view))
  const doubtful = doubtfulValues(judged)
  const asDeed = `deed ${effect} ${tool.name}`
  // A browser or a form serves any purpose: its name says nothing about the request.
  const isInstrument = effect !== 'pays' && effect !== 'destroys' && judged.some(({ value }) => value.kind === 'url')
  const isUnasked =
    !isRelaxed && !isInstrument && !suggestsEffect(person, effect, tool.name) && !memory.allowed.has(asDeed)
  const unrelated = isRelaxed || doubtful.length > 0 ? [] : unrelatedValues(values, effect, judged, view)
  if (doubtful.length === 0 && unrelated.length === 0 && !isUnasked) return null
  const inQuestion = [...doubtful, ...unrelated]
  const covered = [...judged.map(({ value }) => value), ...unrelated]
  return {
    effect,
    value: inQuestion[0] ?? null,
    others: new Set(inQuestion.slice(1).map(({ text }) => text)).size,
    covers: [asDeed, ...covered.map((value) => valueKey(effect, value))],
  }
}

function effectOfCall(tool: GatedTool, values: readonly CallValue[], memory: GateMemory): ToolEffect | null {
  const effect = effectOfTool(tool)
  if (effect !== 'confirms') return effect
  const isOnlyCode = values.every(({ kind }) => kind === 'secret' || kind === 'measure')
  return memory.mayConfirm && isOnlyCode ? null : 'changes'
}

/** Whom a payment goes to is never guessed from a name. */
const NAMES_PAYEE: ReadonlySet<ValueKind> = new Set(['recipient', 'email', 'url'])

const NEVER_DECIDE: ReadonlySet<ValueKind> = new Set(['text', 'measure', 'command'])

/** The values that decide what the call does to whom. */
function decidingValues(values: readonly CallValue[], effect: ToolEffect, isRelaxed: boolean): CallValue[] {
  if (effect === 'opens') return values.filter(({ kind }) => kind === 'url')
  const goesOut = effect === 'sends' || effect === 'pays'
  const hasTarget = values.some(({ kind }) => kind === 'url' || kind === 'email' || kind === 'recipient')
  const own = values.filter(({ kind }) => {
    if (NEVER_DECIDE.has(kind)) return false
    if (goesOut && (kind === 'path' || kind === 'label' || kind === 'secret')) return false
    return !(effect === 'sends' && hasTarget && kind === 'id')
  })
  if (isRelaxed) return own
  const carriers = values.filter(({ kind }) => effect === 'sends' || kind === 'command')
  return [...own, ...carriers.flatMap(carriedValues)]
}

function judge(
  value: CallValue,
  effect: ToolEffect,
  tool: GatedTool,
  { memory, person, strictness }: GateView,
): Judged {
  const support = supportOf(value, memory, person, boundsFor(effect, strictness))
  const trace = memory.traces.get(traceKey(value.text))
  const isBacked =
    support === 'person' ||
    support === 'own' ||
    (support === 'named' && (effect !== 'pays' || !NAMES_PAYEE.has(value.kind))) ||
    (support === 'unseen' && effect === 'changes' && (value.kind === 'path' || value.kind === 'id')) ||
    (effect === 'opens' && trace?.isField === true && !visitActs(tool))
  const allowed = isAllowed(value, effect, memory)
  return { value, support, isAllowed: allowed, isDoubtful: !isBacked && !allowed }
}

function boundsFor(effect: ToolEffect, strictness: Strictness): SupportBounds {
  return {
    wordsForAddress: strictness === 'relaxed' ? 1 : 2,
    mayBeNamed: strictness !== 'strict',
    // Anybody can write the person's words next to an address: that is enough to look at it, not to send to it.
    mayBeNear: effect === 'opens' || effect === 'changes',
  }
}

/** A yes to sending to a host also allows reading there, but not the other way round. */
function isAllowed(value: CallValue, effect: ToolEffect, { allowed }: GateMemory): boolean {
  const wider: readonly ToolEffect[] = effect === 'opens' ? ['opens', 'changes', 'sends'] : [effect]
  return wider.some((each) => allowed.has(valueKey(each, value)))
}

/** One title that the person's words cover is enough: the others describe the same thing. */
function doubtfulValues(judged: readonly Judged[]): CallValue[] {
  const hasLabel = judged.some(({ value, isDoubtful }) => value.kind === 'label' && !isDoubtful)
  return judged
    .filter(({ value, isDoubtful }) => isDoubtful && !(hasLabel && value.kind === 'label'))
    .map(({ value }) => value)
}

/** The values of a call in which nothing at all has to do with the person's words. */
function unrelatedValues(
  values: readonly CallValue[],
  effect: ToolEffect,
  judged: readonly Judged[],
  { memory, person, strictness }: GateView,
): CallValue[] {
  const isRelated = (support: Support) => support === 'person' || support === 'named'
  if (judged.some(({ support, isAllowed }) => support !== 'own' || isAllowed || effect === 'sends')) return []
  const rest = values.filter(({ kind }) => kind === 'text')
  if (
    rest.some((value) =>
      isRelated(supportOf({ ...value, kind: 'label' }, memory, person, boundsFor(effect, strictness))),
    )
  )
    return []
  return rest.filter((value) => !memory.allowed.has(valueKey(effect, value)))
}

/** An allowed address stands for its host. Everything else has to be the same again, to the letter. */
function valueKey(effect: ToolEffect, value: CallValue): string {
  const host = value.kind === 'url' ? webAddress(value.text)?.host : undefined
  return host ? `${effect} host ${host}` : `${effect} ${value.kind} ${value.text}`
}
