/** Appends text below a draft, which stays unchanged. */
export function withAdded(draft: string, more: string): string {
  return draft.trim() === '' ? more : `${draft.trimEnd()}\n\n${more}`
}
