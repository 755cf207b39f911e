/**
 * Formats a labelled text for a prompt, between fences that the text cannot close. A text longer than `most` is cut,
 * with the number of characters left out.
 */
export function fencedText(label: string, text: string, most: number): string {
  const shown =
    text.length > most ? `${text.slice(0, most).toWellFormed()}\n… ${text.length - most} characters left out` : text
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${label}\n${fence}\n${shown}\n${fence}`
}
