import { TASK_PRIORITIES, type TaskPriority } from '@clawboo/core/board'
import type { TaskTyping } from './task-fields.tsx'

/** A task that is being made. */
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

/** What was kept of a form that was left; anything unreadable counts as nothing. */
export function readDraft(text: string | null): NewTaskDraft {
  const kept = parse(text)
  const said = (name: string) => (typeof kept[name] === 'string' ? kept[name] : '')
  const list = Array.isArray(kept.waitsFor) ? (kept.waitsFor as unknown[]) : []
  return {
    title: said('title'),
    body: said('body'),
    who: said('who'),
    priority: (TASK_PRIORITIES as readonly unknown[]).includes(kept.priority)
      ? (kept.priority as TaskPriority)
      : 'normal',
    changesFiles: kept.changesFiles === true,
    status: kept.status === 'backlog' ? 'backlog' : 'todo',
    waitsFor: list.flatMap((entry) => {
      const { id, title } = (entry ?? {}) as { id?: unknown; title?: unknown }
      return typeof id === 'string' && typeof title === 'string' ? [{ id, title }] : []
    }),
  }
}

/** null = nothing was typed that is worth keeping. */
export function writeDraft(draft: NewTaskDraft): string | null {
  const isTyped = `${draft.title}${draft.body}`.trim() !== '' || draft.waitsFor.length > 0
  return isTyped ? JSON.stringify(draft) : null
}

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
