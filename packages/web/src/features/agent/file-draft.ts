import { parseStored, readStored, writeStored } from '../../ui/state/stored-text.ts'

/** Unsaved text, and the revision it started from. */
export interface FileDraft {
  readonly baseRevision: number
  readonly text: string
}

/** The draft after typing; null when the text equals the saved text. */
export function draftAfter(
  text: string,
  draft: FileDraft | null,
  saved: { readonly revision: number; readonly content: string },
): FileDraft | null {
  if (text === saved.content) return null
  return { baseRevision: draft?.baseRevision ?? saved.revision, text }
}

/** Drafts are stored in the browser, so that closing the window or losing the sign-in loses no text. */
export function readDraft(agentId: string, fileName: string): FileDraft | null {
  const { baseRevision, text } = parseStored(readStored(keyOf(agentId, fileName)))
  return typeof baseRevision === 'number' && typeof text === 'string' ? { baseRevision, text } : null
}

export function keepDraft(agentId: string, fileName: string, draft: FileDraft | null): void {
  writeStored(keyOf(agentId, fileName), draft === null ? null : JSON.stringify(draft))
}

function keyOf(agentId: string, fileName: string): string {
  return `clawboo.draft ${agentId} ${fileName}`
}
