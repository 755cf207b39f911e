import { looksLikeAccount } from './value-shapes.ts'

export interface FoundValues {
  readonly urls: readonly string[]
  readonly paths: readonly string[]
  readonly emails: readonly string[]
  readonly accounts: readonly string[]
}

// Repetitions are bounded: the time is proportional to the length of the text.
const URL_TEXT =
  /(?:\bhttps?:\/\/|\bwww\.)[^\s<>"'`)\]},;]{1,2000}|(?<![@\w.-])[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,6}\.[a-z]{2,24}(?:\/[^\s<>"'`)\]},;]{0,2000})?(?![@\w])/gi
const PATH_TEXT = /(?<![\w.:/~])(?:~|\.{1,2})?\/[^\s<>"'`)\]},;]{1,2000}/g
const EMAIL_TEXT = /(?<![\w.%+-])[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}/gi
const ACCOUNT_TEXT = /(?<![\w-])[a-z]{0,2}\d[a-z0-9]{6,60}(?![\w-])/gi

/** Web addresses, paths, e-mail addresses and account numbers in a text, without the punctuation that ends a sentence. */
export function findValues(text: string): FoundValues {
  const found = (pattern: RegExp) => (text.match(pattern) ?? []).map((value) => value.replace(/[.!?:]+$/, ''))
  return {
    urls: found(URL_TEXT).filter(
      (url) => /^https?:|^www\.|\//i.test(url) || /\.(?:com|org|net|io|dev|edu|gov)$/i.test(url),
    ),
    paths: found(PATH_TEXT),
    emails: found(EMAIL_TEXT),
    accounts: found(ACCOUNT_TEXT).filter(looksLikeAccount),
  }
}
