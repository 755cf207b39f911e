import type { AgentFileName } from '@clawboo/core/registry'
import { useEffect, useRef, useState } from 'react'
import { type FileContent, type NewestText, newestTextOf, useWriteFile } from '../../api/agent-files.ts'
import { writeProblem } from '../../api/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { draftAfter, type FileDraft, keepDraft, readDraft } from './file-draft.ts'

/** Everything about one file while it is edited. */
export interface FileEditing {
  /** What the editor shows: the draft, else what is saved. */
  readonly text: string
  readonly dirty: boolean
  /** Someone saved a newer revision than the one this draft started from. */
  readonly overtaken: boolean
  /** The other text, once a save was refused because of it. */
  readonly conflict: NewestText | null
  /** What "take theirs" put aside. */
  readonly aside: string | null
  readonly saving: boolean
  readonly problem: string | null
  readonly type: (text: string) => void
  readonly save: () => void
  /** Writes `text` over what is newest now. */
  readonly settle: (text: string) => void
  readonly takeTheirs: () => void
  readonly bringBack: () => void
  readonly discard: () => void
}

export function useFileEditing(agentId: string, name: AgentFileName, saved: FileContent): FileEditing {
  const [draft, setDraft] = useDraft(agentId, name)
  const [conflict, setConflict] = useState<NewestText | null>(null)
  const [aside, setAside] = useState<string | null>(null)
  const write = useWriteFile(agentId, name)
  const text = draft?.text ?? saved.content
  const put = (content: string, baseRevision: number) =>
    write.mutate(
      { content, baseRevision },
      {
        onSuccess: (written) => {
          setDraft((now) => (now === null || now.text === content ? null : { ...now, baseRevision: written.revision }))
          setConflict(null)
          announce(`Saved ${name} as revision ${written.revision}`)
        },
        onError: (error) => {
          const newest = newestTextOf(error)
          if (newest) setConflict(newest)
        },
      },
    )
  return {
    text,
    dirty: draft !== null,
    overtaken: draft !== null && saved.revision > draft.baseRevision,
    conflict,
    aside,
    saving: write.isPending,
    problem: write.error && !newestTextOf(write.error) ? writeProblem(write.error) : null,
    type: (typed) => setDraft((now) => draftAfter(typed, now, saved)),
    save: () => {
      if (draft !== null && !write.isPending) put(draft.text, draft.baseRevision)
    },
    settle: (settled) => {
      if (conflict === null) return
      setDraft({ baseRevision: conflict.revision, text: settled })
      put(settled, conflict.revision)
    },
    takeTheirs: () => {
      setAside(text)
      setDraft(null)
      setConflict(null)
    },
    bringBack: () => {
      if (aside !== null) setDraft(draftAfter(aside, null, saved))
      setAside(null)
    },
    discard: () => {
      setDraft(null)
      setConflict(null)
    },
  }
}

type SetDraft = (next: FileDraft | null | ((now: FileDraft | null) => FileDraft | null)) => void

/** The draft in memory, written down shortly after the last key and at the latest when the page goes. */
function useDraft(agentId: string, name: string): [FileDraft | null, SetDraft] {
  const [draft, setDraft] = useState(() => readDraft(agentId, name))
  const latest = useRef(draft)
  latest.current = draft
  useEffect(() => {
    const timer = setTimeout(() => keepDraft(agentId, name, draft), 200)
    return () => clearTimeout(timer)
  }, [agentId, name, draft])
  useEffect(() => {
    const keep = () => keepDraft(agentId, name, latest.current)
    window.addEventListener('pagehide', keep)
    return () => {
      window.removeEventListener('pagehide', keep)
      keep()
    }
  }, [agentId, name])
  return [draft, setDraft]
}
