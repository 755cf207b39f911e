import type { RunFold } from '../../../ui/run-view/fold-run.ts'
import { durationWords } from '../../../ui/run-view/run-words.ts'
import { toolWords } from '../../../ui/run-view/tool-words.ts'
import { useNow } from '../../../ui/use-now.ts'

/** What the Boo does right now, in a word, with its age. */
export function Activity({ fold, startedAt }: { fold: RunFold; startedAt: number }) {
  const now = useNow(1_000)
  return (
    <p className="flex min-w-0 items-center gap-2 pl-10 text-sm text-working">
      <span aria-hidden="true" className="skeleton size-2 shrink-0 rounded-full bg-working" />
      <span className="min-w-0 truncate">{activityWords(fold)}</span>
      <span className="shrink-0 text-xs text-muted tabular-nums">
        {durationWords(Math.floor(Math.max(0, now - startedAt) / 1_000) * 1_000)}
      </span>
    </p>
  )
}

export function activityWords({ blocks }: RunFold): string {
  const waiting = blocks.findLast((block) => block.kind === 'approval' && block.answer === null)
  if (waiting) return 'Waiting for you'
  const last = blocks.at(-1)
  const tool = blocks.findLast((block) => block.kind === 'tool')
  if (tool && tool.result === null) return `Running ${toolWords(tool)}`
  if (last?.kind === 'text') return 'Writing'
  if (last?.kind === 'notice' && last.state === 'compacting') return 'Shortening the conversation'
  if (last?.kind === 'notice' && last.state === 'retrying') return 'Trying again'
  return 'Thinking'
}
