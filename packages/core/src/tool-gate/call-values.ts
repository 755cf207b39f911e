import { findValues } from './find-values.ts'
import { isDateOrTime, isEmail, looksLikeAccount, looksLikeAddress, looksLikePath, webAddress } from './value-shapes.ts'
import { stemsOf } from './word-stem.ts'

/** The kind of thing that a value of a call stands for. Amounts and dates are `measure`, because a model calculates them. */
export type ValueKind =
  | 'email'
  | 'url'
  | 'account'
  | 'path'
  | 'recipient'
  | 'id'
  | 'secret'
  | 'label'
  | 'command'
  | 'measure'
  | 'text'

export interface CallValue {
  readonly kind: ValueKind
  readonly text: string
  /** It is only mentioned in a text or a command. */
  readonly isCarried?: boolean
}

const MAX_VALUES = 200
const MAX_DEPTH = 12
const MAX_CHARACTERS = 200_000

const words = (text: string): ReadonlySet<string> => new Set(stemsOf(text))
const BY_NAME: readonly (readonly [ValueKind, ReadonlySet<string>])[] = [
  ['secret', words('password otp code pin token passcode secret')],
  ['id', words('id ids identifier key sku')],
  ['path', words('path dir directory folder file filename filepath source destination')],
  ['url', words('url uri link href website webpage domain host endpoint')],
  ['account', words('account iban wallet payee beneficiary')],
  [
    'recipient',
    words(
      'recipient recipients to cc bcc user username channel member participant attendee assignee collaborator receiver owner team group phone mobile',
    ),
  ],
  ['id', words('number ref reference')],
  ['label', words('title name topic summary label heading')],
  ['command', words('command cmd script code sql shell program')],
]

export interface CallValues {
  readonly values: readonly CallValue[]
  /** There was more than is looked at. */
  readonly isCut: boolean
}

/** Every value in the arguments of a call with its kind, from its shape first and the name of its argument second. */
export function valuesOfCall(args: unknown): CallValues {
  const values: CallValue[] = []
  let isCut = false
  let characters = 0
  const add = (text: string, name: string, isNumber: boolean) => {
    characters += text.length
    isCut ||= values.length >= MAX_VALUES || characters > MAX_CHARACTERS
    if (!isCut && text.trim() !== '') values.push({ kind: kindOf(text.trim(), name, isNumber), text: text.trim() })
  }
  const walk = (value: unknown, name: string, depth: number) => {
    isCut ||= depth > MAX_DEPTH
    if (isCut || value === null || value === undefined || typeof value === 'boolean') return
    if (Array.isArray(value)) for (const item of value) walk(item, name, depth + 1)
    else if (typeof value === 'object')
      for (const [key, item] of Object.entries(value)) {
        if (isEmail(key) || looksLikeAddress(key) || looksLikeAccount(key)) add(key, '', false)
        walk(item, key, depth + 1)
      }
    else add(String(value), name, typeof value !== 'string')
  }
  walk(args, '', 0)
  return { values, isCut }
}

function kindOf(text: string, name: string, isNumber: boolean): ValueKind {
  const named = stemsOf(name)
  const byName = BY_NAME.find(([, names]) => named.some((word) => names.has(word)))?.[0]
  if (isEmail(text)) return 'email'
  if ((byName === undefined || byName === 'recipient') && isDateOrTime(text)) return 'measure'
  if (byName === undefined && (isNumber || /^[+-]?[\d.,]{1,7}$/.test(text))) return 'measure'
  if (byName === 'secret' || byName === 'label' || byName === 'command') return byName
  if (looksLikeAddress(text)) return 'url'
  if (byName === 'url' || byName === 'path' || byName === 'id')
    return /\s/.test(text) && byName !== 'path' ? 'text' : byName
  if (byName !== undefined && looksLikeAccount(text)) return 'account'
  if (byName !== undefined) return byName
  if (/\s/.test(text)) return 'text'
  if (looksLikePath(text)) return 'path'
  if (text.includes('/') && webAddress(text)) return 'url'
  return looksLikeAccount(text) ? 'account' : 'text'
}

/** The values that a text or a command carries: addresses and accounts, and in a command also paths. */
export function carriedValues({ kind, text }: CallValue): CallValue[] {
  if (kind !== 'text' && kind !== 'command' && kind !== 'label') return []
  const { urls, paths, emails, accounts } = findValues(text)
  const carried = (of: ValueKind, texts: readonly string[]) =>
    texts.map((each): CallValue => ({ kind: of, text: each, isCarried: true }))
  const links = [...carried('url', urls), ...carried('account', accounts)]
  return kind === 'command' ? [...links, ...carried('email', emails), ...carried('path', paths)] : links
}
