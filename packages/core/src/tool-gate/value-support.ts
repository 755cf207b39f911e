import type { CallValue } from './call-values.ts'
import { foldOutside, isDeceptive } from './fold-text.ts'
import type { GateMemory, ValueTrace } from './gate-memory.ts'
import { containsNumber, containsValue, containsWord, type PersonWords, thingsIn } from './person-words.ts'
import { traceKey } from './trace-key.ts'
import { namesInEmail, plainPath, webAddress } from './value-shapes.ts'
import { wordsOf } from './word-stem.ts'

/**
 * Where a value comes from. `person`: the person wrote it. `own`: it is the person's own. `named`: it was found next to
 * what the person named. `outside`: it was found elsewhere. `unseen`: nobody wrote it, the model made it up or
 * calculated it.
 */
export type Support = 'person' | 'own' | 'named' | 'outside' | 'unseen'

export interface SupportBounds {
  /** How many of the person's words must be in or next to a web address. */
  readonly wordsForAddress: number
  /** Whether what is found next to the person's words is named by them. */
  readonly mayBeNamed: boolean
  /** Whether words next to an address count, or only words in it. */
  readonly mayBeNear: boolean
}

export function supportOf(value: CallValue, memory: GateMemory, person: PersonWords, bounds: SupportBounds): Support {
  if (isDeceptive(value.text)) return 'outside'
  const support = supportByKind(value, memory, person, bounds)
  return support === 'named' && !bounds.mayBeNamed ? 'outside' : support
}

function supportByKind(value: CallValue, memory: GateMemory, person: PersonWords, bounds: SupportBounds): Support {
  const trace = memory.traces.get(traceKey(foldOutside(value.text)))
  const isSeen = trace !== undefined || memory.wasCut || (value.kind === 'path' && isBelowSeen(value.text, memory))
  const otherwise: Support = isSeen ? 'outside' : 'unseen'
  switch (value.kind) {
    case 'email':
      return emailSupport(value.text, memory, person) ?? otherwise
    case 'url':
      return urlSupport(value.text, trace, person, bounds) ?? otherwise
    case 'account':
      if (containsNumber(person.text, value.text)) return 'person'
      return containsNumber(person.ownText, value.text) ? 'own' : otherwise
    case 'path':
      return pathSupport(value.text, person) ?? otherwise
    case 'recipient':
      return recipientSupport(value.text, person) ?? otherwise
    case 'id':
      return idSupport(value.text, trace, person) ?? otherwise
    case 'label':
      if (containsValue(person.text, value.text)) return 'person'
      return thingsIn(value.text, person).length > 0 ? 'named' : otherwise
    default:
      if (containsValue(person.text, value.text)) return 'person'
      return containsValue(person.ownText, value.text) ? 'own' : otherwise
  }
}

function emailSupport(address: string, memory: GateMemory, person: PersonWords): Support | null {
  if (containsValue(person.text, address)) return 'person'
  if (containsValue(person.ownText, address)) return 'own'
  const names = namesInEmail(address).filter((name) => name.length > 2)
  // A second address under a name that is known already may be somebody else's.
  const isFirst = (name: string) => memory.addressByName.get(name) === address.toLowerCase()
  const isOwn = names.length > 1 && containsValue(person.ownText, names.join(' '))
  if (isOwn && names.every((name) => person.ownNames.has(name) && isFirst(name))) return 'own'
  return names.some((name) => person.names.has(name) && isFirst(name)) ? 'named' : null
}

function urlSupport(
  url: string,
  trace: ValueTrace | undefined,
  person: PersonWords,
  bounds: SupportBounds,
): Support | null {
  const address = webAddress(url)
  if (!address) return 'outside'
  const { host } = address
  if (person.hosts.has(host)) return 'person'
  const things = new Set([
    ...thingsIn(`${host}${address.path}`, person),
    ...(bounds.mayBeNear ? (trace?.near ?? []) : []),
  ])
  return things.size >= bounds.wordsForAddress ? 'named' : null
}

function pathSupport(text: string, person: PersonWords): Support | null {
  const path = plainPath(text)
  if (path === null) return 'outside'
  const isBelow = (known: string) => path === known || (known.length > 1 && path.startsWith(`${known}/`))
  if ([...person.paths].some(isBelow) || containsValue(person.text, path)) return 'person'
  return thingsIn(path, person).length > 0 ? 'named' : null
}

function recipientSupport(text: string, person: PersonWords): Support | null {
  if (containsWord(person.text, text)) return 'person'
  const names = wordsOf(text)
  if (containsValue(person.ownText, text) && names.some((name) => person.ownNames.has(name))) return 'own'
  return names.some((name) => person.names.has(name)) ? 'named' : null
}

function idSupport(text: string, trace: ValueTrace | undefined, person: PersonWords): Support | null {
  if (containsWord(person.text, text)) return 'person'
  if (thingsIn(text, person).length > 0) return 'named'
  return trace?.isField && trace.near.length > 0 ? 'named' : null
}

/** True for a path in a folder that outside text mentioned. */
function isBelowSeen(text: string, memory: GateMemory): boolean {
  const parts = traceKey(foldOutside(text)).split('/').slice(0, 64)
  return parts.some((_, at) => at > 0 && memory.traces.has(parts.slice(0, at).join('/')))
}
