/** Where the keyboard goes on when its item is gone: the next one that is left, else the one before; null = none is left. */
export function nextItem(before: readonly string[], now: readonly string[], had: string): string | null {
  const at = before.indexOf(had)
  const left = (id: string) => now.includes(id)
  return before.slice(at + 1).find(left) ?? before.slice(0, Math.max(0, at)).findLast(left) ?? now[0] ?? null
}
