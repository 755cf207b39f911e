/** Returns the known word closest to `typed`, or undefined when none is close enough. */
export function closestWord(typed: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((word) => ({ word, distance: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(Math.max(word.length, typed.length) / 3)))
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.word
}

/** Counts insertions, deletions, substitutions and swaps of neighbouring characters. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swap = swapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(change, last[column]! + 1, current[column - 1]! + 1, swap))
    }
    before = last
    last = current
  }
  return last[b.length]!
}
