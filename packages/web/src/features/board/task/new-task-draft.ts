import { readEdit, readKept } from './edit-draft.ts'
import type { TaskTyping } from './task-fields.tsx'

/** A task that is being created. */
export interface NewTaskDraft extends TaskTyping {
  readonly status: 'todo' | 'backlog'
  readonly waitsFor: readonly { readonly id: string; readonly title: string }[]
}

export const EMPTY_DRAFT: NewTaskDraft = {
  title: '',
  body: '',
  who: '',
  priority: 'normal',
  changesFiles: false,
  status: 'todo',
  waitsFor: [],
}

/** Reads a stored draft; anything unreadable counts as empty. */
export function readDraft(text: string | null): NewTaskDraft {
  const kept = readKept(text)
  const list = Array.isArray(kept.waitsFor) ? (kept.waitsFor as unknown[]) : []
  return {
    ...readEdit(text, EMPTY_DRAFT),
    status: kept.status === 'backlog' ? 'backlog' : 'todo',
    waitsFor: list.flatMap((entry) => {
      const { id, title } = (entry ?? {}) as { id?: unknown; title?: unknown }
      return typeof id === 'string' && typeof title === 'string' ? [{ id, title }] : []
    }),
  }
}

/** null = there is nothing worth storing. */
export function writeDraft(draft: NewTaskDraft): string | null {
  const isTyped = `${draft.title}${draft.body}`.trim() !== '' || draft.waitsFor.length > 0
  return isTyped ? JSON.stringify(draft) : null
}
