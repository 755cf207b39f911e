/** Text of any origin as both engines take it: whole characters, no NUL, at most `maxCharacters` with a mark where it was cut. */
export function storableText(text: string, maxCharacters: number): string {
  const whole = text.replaceAll('\0', '\ufffd')
  if (whole.length <= maxCharacters) return whole.toWellFormed()
  return `${whole.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed()
}
