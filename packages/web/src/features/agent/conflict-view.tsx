import { Fragment, useEffect, useRef, useState } from 'react'
import type { NewestText } from '../../api/agent/agent-files.ts'
import { useFleet } from '../../api/fleet.ts'
import { Button } from '../../ui/button.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { ago } from '../../ui/words/time-words.ts'
import { Comparison } from './editor/comparison.tsx'
import { otherAuthorWords } from './file-words.ts'
import type { FileEditing } from './use-file-editing.ts'

/** Both texts of a conflict and three ways to resolve it. Nothing is discarded until the person chooses. */
export function ConflictView(props: { name: string; editing: FileEditing; newest: NewestText }) {
  const { name, editing, newest } = props
  const [merging, setMerging] = useState(false)
  const now = useNow()
  const agents = useFleet().data?.agents ?? []
  const author = otherAuthorWords(newest.author, agents)
  const heading = useRef<HTMLHeadingElement>(null)
  // Also runs when the choices change, because the focused button would become another one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the choices change
  useEffect(() => heading.current?.focus(), [merging])
  const startMerging = () => setMerging(true)
  usePageActions([
    { id: 'keep-mine', title: 'Keep mine', place: name, icon: 'check', run: () => editing.settle(editing.text) },
    { id: 'take-theirs', title: 'Use theirs', place: name, icon: 'check', run: editing.takeTheirs },
    { id: 'edit-merged', title: 'Edit merged', place: name, icon: 'pencil', run: startMerging },
  ])
  return (
    <section className="flex h-full min-h-0 flex-col" aria-label="Two versions">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-needs-soft px-4 py-2">
        <div className="min-w-[220px] flex-1 text-sm text-needs">
          <h3 ref={heading} tabIndex={-1} className="font-semibold outline-none">
            {`${name} was changed by ${author} while you wrote`}
          </h3>
          <p>{`Theirs is revision ${newest.revision}${newest.createdAt === null ? '' : `, ${ago(newest.createdAt, now)}`}. Your version is not saved yet. Nothing is lost.`}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {merging ? (
            <Fragment key="merging">
              <Button onClick={() => setMerging(false)}>Back</Button>
              <Button kind="primary" onClick={() => editing.settle(editing.text)} disabled={editing.saving}>
                {editing.saving ? 'Saving' : 'Save merged'}
              </Button>
            </Fragment>
          ) : (
            <Fragment key="choosing">
              <Button onClick={editing.takeTheirs}>Use theirs</Button>
              <Button onClick={startMerging}>Edit merged</Button>
              <Button kind="primary" onClick={() => editing.settle(editing.text)} disabled={editing.saving}>
                {editing.saving ? 'Saving' : 'Keep mine'}
              </Button>
            </Fragment>
          )}
        </div>
      </div>
      <div className="hidden shrink-0 grid-cols-2 border-b border-line bg-bg text-sm text-muted wide:grid">
        <p className="px-4 py-1">{`Theirs, by ${author}`}</p>
        <p className="border-l border-line px-4 py-1">
          {merging ? 'Merged: edit here, or copy single changes with →' : 'Yours'}
        </p>
      </div>
      <div className="min-h-0 flex-1">
        <Comparison
          before={{ label: 'Theirs', text: newest.content }}
          after={{ label: merging ? 'Merged' : 'Yours', text: editing.text }}
          onChange={merging ? editing.type : undefined}
        />
      </div>
    </section>
  )
}
