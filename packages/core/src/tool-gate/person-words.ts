import { isPlainWord } from './effect-words.ts'
import { findValues } from './find-values.ts'
import { plainNumber, plainPath, webAddress } from './value-shapes.ts'
import { stem, stemsOf } from './word-stem.ts'

/** The things that the person's words name: exact values, things, people and deeds. */
export interface PersonWords {
  /** All words, as stems. */
  readonly stems: ReadonlySet<string>
  /** The words that name a thing, as stems. */
  readonly things: ReadonlySet<string>
  /** The words written like a name, in lower case. */
  readonly names: ReadonlySet<string>
  readonly hosts: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  readonly text: string
  /** The words of names in the instructions that the person works under: their own name is among them. */
  readonly ownNames: ReadonlySet<string>
  readonly ownText: string
}

export function readPersonWords(words: string, system: string): PersonWords {
  const stems = stemsOf(words)
  const values = findValues(`${words}\n${system}`)
  const { urls, emails, paths } = findValues(words)
  // The words inside an address are not the person's: half of the world has its mail at the same host.
  const prose = [...urls, ...emails, ...paths].reduce((text, value) => text.replaceAll(value, ' '), words)
  return {
    stems: new Set(stems),
    things: new Set(stemsOf(prose).filter((word) => !isPlainWord(word))),
    names: namesIn(prose),
    hosts: new Set(values.urls.flatMap((url) => webAddress(url)?.host ?? [])),
    paths: new Set(values.paths.flatMap((path) => plainPath(path) ?? [])),
    text: words,
    ownNames: namesIn(system),
    ownText: system,
  }
}

/** The person's things among the words of a text. */
export function thingsIn(text: string, { things }: PersonWords): string[] {
  return [...new Set(stemsOf(text))].filter((word) => things.has(word))
}

function namesIn(text: string): ReadonlySet<string> {
  const names = (text.match(/\p{Lu}[\p{Ll}\p{M}]+/gu) ?? []).map((word) => word.toLowerCase())
  return new Set(names.filter((word) => !isPlainWord(stem(word))))
}

/** True if the words contain exactly this value, not only as a part of a longer one. */
export function containsValue(text: string, value: string): boolean {
  if (value === '') return false
  const lower = text.toLowerCase()
  const wanted = value.toLowerCase()
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const [before, after] = [lower[at - 1] ?? ' ', lower.slice(at + wanted.length, at + wanted.length + 2)]
    if (!/[\p{L}\p{N}_@/.+-]/u.test(before) && !/^(?:[\p{L}\p{N}_@/-]|[.+][\p{L}\p{N}])/u.test(after)) return true
  }
  return false
}

/** As `containsValue`, for a word that may be a part of a path or of a name such as `owner/project#12`. */
export function containsWord(text: string, value: string): boolean {
  return containsValue(text.replace(/[/#:]/g, ' '), value.replace(/[/#:]/g, ' ').trim())
}

/** As `containsValue`, for a number that may be written in groups. */
export function containsNumber(text: string, value: string): boolean {
  const plain = plainNumber(value)
  if (plain.length < 6 || plain.length > 80 || /[^a-z0-9]/.test(plain)) return false
  return new RegExp(`(?<![a-z0-9]|\\d[ -])${[...plain].join('[ -]?')}(?![a-z0-9]|[ -]\\d)`, 'i').test(text)
}
