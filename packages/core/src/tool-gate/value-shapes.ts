import { wordsOf } from './word-stem.ts'

/** The host and the path of a web address in one spelling, or null for a text that is none or that hides its host. */
export interface WebAddress {
  readonly host: string
  readonly path: string
}

const HOST = /^(?=.{4,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.(?:[a-z]{2,24}|xn--[a-z0-9-]+)$/
const NUMERIC_HOST = /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9a-f:]+\])$/

export function webAddress(text: string): WebAddress | null {
  const trimmed = text.trim()
  const match = /^(?:(https?|ftp|wss?):\/\/)?([^/?#]+)(.*)$/is.exec(trimmed)
  if (!match || trimmed.length > 4000) return null
  const authority = match[2]!.toLowerCase().replace(/:\d{1,5}$/, '')
  const host = authority.replace(/\.$/, '')
  if (!HOST.test(host) && !NUMERIC_HOST.test(host)) return null
  // A text that could also be a file name needs a scheme, a path or a www to be an address.
  const rest = match[3]!
  if (!match[1] && rest === '' && !host.startsWith('www.') && FILE_ENDING.test(host)) return null
  return { host: host.replace(/^www\./, ''), path: rest.replace(/\/+$/, '') }
}

const FILE_ENDING =
  /\.(?:txt|pdf|md|csv|json|docx?|xlsx?|pptx?|png|jpe?g|gif|zip|gz|tar|py|js|ts|sh|html?|xml|ya?ml|log|bin|exe)$/

/** True when the address has a scheme, whatever follows: such a text is never an ordinary word. */
export function looksLikeAddress(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]{1,20}:\/\//i.test(text) || /^\s*(?:www\.|\/\/)\S+$/i.test(text)
}

const EMAIL = /^[a-z0-9._%+'-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

export function isEmail(text: string): boolean {
  return EMAIL.test(text.trim())
}

/** A path in one spelling, or null if it climbs with `..` or hides characters. */
export function plainPath(text: string): string | null {
  const path = text.trim().replace(/\\/g, '/')
  if (/(?:^|\/)\.\.(?:\/|$)|%[0-9a-f]{2}/i.test(path)) return null
  return path.replace(/\/\.?(?=\/|$)/g, '').replace(/^\.\//, '') || '/'
}

export function looksLikePath(text: string): boolean {
  return /^(?:\/|~\/|\.{1,2}\/|[a-z]:[\\/])\S*/i.test(text.trim())
}

/** Letters and digits of a number such as a bank account, in one spelling. */
export function plainNumber(text: string): string {
  return text.replace(/[\s-]/g, '').toLowerCase()
}

export function looksLikeAccount(text: string): boolean {
  const plain = plainNumber(text)
  return /^(?:[a-z]{2}\d{6,32}|[a-z]{2}\d{2}[a-z0-9]{8,30}|\d{8,34}|0x[0-9a-f]{20,}|[13b][a-z0-9]{25,60})$/.test(plain)
}

export function isDateOrTime(text: string): boolean {
  return /^\s*\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:[T ]+\d{1,2}:\d{2}.*)?\s*$|^\s*\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]m)?\s*$/i.test(
    text,
  )
}

/** The name part of an e-mail address as words. */
export function namesInEmail(address: string): string[] {
  return wordsOf(address.slice(0, Math.max(0, address.indexOf('@'))))
}
