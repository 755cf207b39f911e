/**
 * Letters, digits and line ends only: what a reader does not see is removed. Use it to find values in outside text,
 * never to compare a value with a trusted one, because two different values may fold to the same text.
 */
export function foldOutside(text: string): string {
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[^\S\n]+/g, ' ')
}

/** The text with the escapes that JSON and programs write in a string. They would glue a value to the next word. */
export function unescaped(text: string): string {
  return text
    .replace(/\\[nr]/g, '\n')
    .replace(/\\t/g, ' ')
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(["'/])/g, '$1')
}

/** True for a value that a person could take for another one: hidden characters, or letters of two alphabets. */
export function isDeceptive(value: string): boolean {
  const isSeen = value.search(INVISIBLE) < 0 && value.normalize('NFKC') === value.normalize('NFC')
  return !isSeen || (/[a-z]/i.test(value) && /[\u0370-\u058f\u10a0-\u10ff\u13a0-\u13ff]/.test(value))
}

/** Format and control characters except the line end, and the letters and marks that are drawn as nothing. */
const INVISIBLE = /(?!\n)\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]|\u034f/gu
