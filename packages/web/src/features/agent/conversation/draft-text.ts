/** A draft with something put below it. What is there stays as it is. */
export function withAdded(draft: string, more: string): string {
  return draft.trim() === '' ? more : `${draft.trimEnd()}\n\n${more}`
}
