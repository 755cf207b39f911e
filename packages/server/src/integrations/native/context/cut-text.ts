/** The first `length` characters, without half of a surrogate pair. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text
  const end = length > 0 && isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length
  return text.slice(0, Math.max(0, end))
}

/** The last `length` characters, without half of a surrogate pair. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text
  const from = text.length - Math.max(0, length)
  return text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
