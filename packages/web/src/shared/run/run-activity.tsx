import type { RunFold } from '../../live/fold-run.ts'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { shortAge } from '../../ui/words/time-words.ts'
import { toolWords } from './tool-line.tsx'

/** The Boo's current activity in one word, with its age. */
export function RunActivity({ fold, startedAt }: { fold: RunFold; startedAt: number }) {
  const now = useNow(1_000)
  return (
    <p
      className={classNames(
        'flex min-w-0 items-center gap-2 pl-10 text-sm',
        waitsForAnswer(fold) ? 'text-needs' : 'text-working',
      )}
    >
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-current" />
      <span className="min-w-0 truncate">{activityWords(fold)}</span>
      <span className="shrink-0 text-xs text-muted tabular-nums">{shortAge(now - startedAt)}</span>
    </p>
  )
}

function waitsForAnswer({ blocks }: RunFold): boolean {
  return blocks.some((block) => block.kind === 'approval' && block.answer === null)
}

function activityWords(fold: RunFold): string {
  const { blocks } = fold
  if (waitsForAnswer(fold)) return 'Needs you'
  const last = blocks.at(-1)
  const tool = blocks.findLast((block) => block.kind === 'tool')
  if (tool && tool.result === null) return `Running ${toolWords(tool)}`
  if (last?.kind === 'text') return 'Writing'
  if (last?.kind === 'notice' && last.state === 'compacting') return 'Shortening the conversation'
  if (last?.kind === 'notice' && last.state === 'retrying') return 'Trying again'
  return 'Thinking'
}
