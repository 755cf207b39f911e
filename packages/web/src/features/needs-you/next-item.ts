/** The item that gets the focus when the focused one is gone: the next, else the previous; null = none. */
export function nextItem(before: readonly string[], now: readonly string[], had: string): string | null {
  const at = before.indexOf(had)
  const left = (id: string) => now.includes(id)
  return before.slice(at + 1).find(left) ?? before.slice(0, Math.max(0, at)).findLast(left) ?? now[0] ?? null
}
