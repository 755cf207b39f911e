/** The text with a capital letter at its start and a full stop at its end, unless it has one. */
export function sentence(text: string): string {
  const start = capital(text.trim())
  return start === '' || /[.!?…]$/.test(start) ? start : `${start}.`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** "Kit", "Kit and Moss", "Kit, Moss and Juno". */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
