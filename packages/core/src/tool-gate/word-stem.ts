/** The words of a text in lower case, without their endings. Names in snake_case and camelCase are separate words. */
export function stemsOf(text: string): string[] {
  return wordsOf(text).map(stem)
}

export function wordsOf(text: string): string[] {
  return (spaced(text).match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase())
}

/** The text with a space between the words of a camelCase name. */
export function spaced(text: string): string {
  return text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
}

/** Plural, past and -ing forms of an English word become one form. Short words stay as they are. */
export function stem(word: string): string {
  if (word.length < 4) return word
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(?<=[sxz]|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '')
    .replace(/(?<=\p{L}{3})(?:ing|ed)$/u, '')
    .replace(/(?<=\p{L}{2})e$/u, '')
  return base.replace(/([bdgmnprt])\1$/, '$1')
}
