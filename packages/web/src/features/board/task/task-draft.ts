import { TASK_PRIORITIES, type TaskPriority } from '@clawboo/core/board'
import { parseStored } from '../../../ui/state/stored-text.ts'
import type { TaskTyping } from './task-fields.tsx'

export const editKey = (taskId: string) => `clawboo.edit-task.${taskId}`

/** The current task with the stored edits; an unreadable text counts as none. */
export function readEdit(text: string | null, now: TaskTyping): TaskTyping {
  const kept = parseStored(text)
  const fieldOf = (name: 'title' | 'body' | 'who') => (typeof kept[name] === 'string' ? kept[name] : now[name])
  return {
    title: fieldOf('title'),
    body: fieldOf('body'),
    who: fieldOf('who'),
    priority: (TASK_PRIORITIES as readonly unknown[]).includes(kept.priority)
      ? (kept.priority as TaskPriority)
      : now.priority,
    changesFiles: typeof kept.changesFiles === 'boolean' ? kept.changesFiles : now.changesFiles,
  }
}

/** Only the changed fields, because someone else may change the others. null = no changes. */
export function writeEdit(before: TaskTyping, now: TaskTyping): string | null {
  const changed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof TaskTyping])
  return changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed))
}

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
  const kept = parseStored(text)
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
