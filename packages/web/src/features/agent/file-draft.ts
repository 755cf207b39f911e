import { readStored, writeStored } from '../../ui/state/stored-text.ts'

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
  const stored = readStored(keyOf(agentId, fileName))
  if (stored === null) return null
  try {
    const { baseRevision, text } = JSON.parse(stored) as Partial<FileDraft>
    return typeof baseRevision === 'number' && typeof text === 'string' ? { baseRevision, text } : null
  } catch {
    return null
  }
}

export function keepDraft(agentId: string, fileName: string, draft: FileDraft | null): void {
  writeStored(keyOf(agentId, fileName), draft === null ? null : JSON.stringify(draft))
}

function keyOf(agentId: string, fileName: string): string {
  return `clawboo.draft ${agentId} ${fileName}`
}
