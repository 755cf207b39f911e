/** A valid and unique id for a provider, made from its name. */
export function providerIdFor(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 34)
    .replace(/^-+|-+$/g, '')
  const id = words === '' ? 'own' : words
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? id : `${id}-${number}`
    if (!taken.includes(candidate)) return candidate
  }
}
