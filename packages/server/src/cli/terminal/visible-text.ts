/** Terminals obey control characters, and direction marks reorder text: show both as escapes. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  )
}
