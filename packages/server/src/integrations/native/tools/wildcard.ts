/** Whether a text matches a pattern in which `*` matches any characters. Takes at most pattern × text steps. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let [p, t] = [0, 0]
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++
      t++
    } else if (star !== -1) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
