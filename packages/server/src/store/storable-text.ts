/** Makes any text storable on both engines: whole characters, no NUL, at most `maxCharacters`. An ellipsis marks a cut. */
export function storableText(text: string, maxCharacters: number): string {
  const whole = text.replaceAll('\0', '\ufffd')
  if (whole.length <= maxCharacters) return whole.toWellFormed()
  return `${whole.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed()
}
