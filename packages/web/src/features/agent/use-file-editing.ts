import type { AgentFileName } from '@clawboo/core/registry'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type FileContent, type NewestText, newestTextOf, useWriteFile } from '../../api/agent/agent-files.ts'
import { saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { parseStored, readStored, writeStored } from '../../ui/state/stored-text.ts'

/** The state of one file while it is edited. */
export interface FileEditing {
  /** The editor's text: the draft, or else the saved text. */
  readonly text: string
  readonly dirty: boolean
  /** Whether someone saved a newer revision than the one this draft started from. */
  readonly overtaken: boolean
  /** The other text, after it caused a refused save. */
  readonly conflict: NewestText | null
  /** The version that "Use theirs" set aside. */
  readonly aside: string | null
  readonly saving: boolean
  readonly problem: string | null
  readonly type: (text: string) => void
  readonly save: () => void
  /** Writes `text` over the newest revision. */
  readonly settle: (text: string) => void
  readonly takeTheirs: () => void
  readonly bringBack: () => void
  readonly discard: () => void
}

export function useFileEditing(agentId: string, name: AgentFileName, saved: FileContent): FileEditing {
  const drafting = useDraft(agentId, name, saved)
  const { draft, dirty, setDraft } = drafting
  const { put, save, conflict, setConflict, saving, problem, forget } = useSave(agentId, name, drafting)
  const [aside, setAside] = useState<string | null>(null)
  const text = draft?.text ?? saved.content
  const drop = () => {
    setDraft(null)
    setConflict(null)
    forget()
  }
  return {
    text,
    dirty,
    overtaken: dirty && draft !== null && saved.revision > draft.baseRevision,
    conflict,
    aside,
    saving,
    problem,
    type: (typed) => setDraft((now) => draftAfter(typed, now, saved)),
    save,
    settle: (chosen) => {
      if (conflict === null) return
      setDraft({ baseRevision: conflict.revision, text: chosen })
      put(chosen, conflict.revision)
    },
    takeTheirs: () => {
      setAside(text)
      drop()
    },
    bringBack: () => {
      if (aside !== null) setDraft(draftAfter(aside, null, saved))
      setAside(null)
    },
    discard: drop,
  }
}

interface Drafting {
  readonly draft: FileDraft | null
  /** Whether there is a draft that differs from the saved text. */
  readonly dirty: boolean
  readonly setDraft: (next: FileDraft | null | ((now: FileDraft | null) => FileDraft | null)) => void
}

function useSave(agentId: string, name: AgentFileName, { draft, dirty, setDraft }: Drafting) {
  const write = useWriteFile(agentId, name)
  const [conflict, setConflict] = useState<NewestText | null>(null)
  const [asked, setAsked] = useState(false)
  const put = (content: string, baseRevision: number) =>
    write.mutate(
      { content, baseRevision },
      {
        onSuccess: (written) => {
          // The draft stays until `saved` has the new text. Otherwise the editor would briefly show the old text.
          setDraft((now) => now && { ...now, baseRevision: written.revision })
          setConflict(null)
          announce(`Saved ${name} as revision ${written.revision}`)
        },
        onError: (error) => setConflict(newestTextOf(error)),
      },
    )
  // A save requested during another save starts after it, with all text typed by then.
  useEffect(() => {
    if (!asked || write.isPending) return
    setAsked(false)
    if (dirty && draft !== null && conflict === null) put(draft.text, draft.baseRevision)
  })
  return {
    put,
    save: () => setAsked(true),
    conflict,
    setConflict,
    /** Hides an error about a discarded text. */
    forget: write.reset,
    saving: write.isPending,
    problem: write.error && !newestTextOf(write.error) ? saveProblem(write.error) : null,
  }
}

/** The draft in memory, stored shortly after the last key and at the latest when the page closes. */
function useDraft(agentId: string, name: string, saved: FileContent): Drafting {
  const [draft, setDraft] = useState(() => readDraft(agentId, name))
  const latest = useRef(draft)
  latest.current = draft
  const kept = useRef(draft)
  // Stores only text typed here, because another tab may have stored a draft of the same file.
  const keep = useCallback(() => {
    if (latest.current === kept.current) return
    kept.current = latest.current
    keepDraft(agentId, name, latest.current)
  }, [agentId, name])
  useEffect(() => {
    const timer = setTimeout(() => keep(), 200)
    return () => clearTimeout(timer)
  })
  useEffect(() => {
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [keep])
  const settled = draft !== null && draft.text === saved.content
  useEffect(() => {
    // Checks the current draft again: a key pressed since the last render must not be lost.
    if (settled) setDraft((now) => (now?.text === saved.content ? null : now))
  }, [settled, saved.content])
  return { draft, dirty: draft !== null && !settled, setDraft }
}

/** Unsaved text, and the revision it started from. */
interface FileDraft {
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
function readDraft(agentId: string, fileName: string): FileDraft | null {
  const { baseRevision, text } = parseStored(readStored(keyOf(agentId, fileName)))
  return typeof baseRevision === 'number' && typeof text === 'string' ? { baseRevision, text } : null
}

function keepDraft(agentId: string, fileName: string, draft: FileDraft | null): void {
  writeStored(keyOf(agentId, fileName), draft === null ? null : JSON.stringify(draft))
}

function keyOf(agentId: string, fileName: string): string {
  return `clawboo.draft ${agentId} ${fileName}`
}
