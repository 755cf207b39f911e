import { Link, type LinkProps } from '@tanstack/react-router'
import { memo, type ReactNode, useState } from 'react'
import type { ReasoningBlock, ToolBlock } from '../../live/run-block.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { CodeBlock } from '../../ui/markdown/code-block.tsx'
import { durationWords } from './run-words.ts'
import { inputText, toolWords, writtenFile } from './tool-words.ts'

/** The link to a file in the agent's workspace. */
export type FileLink = (path: string) => LinkProps

/** A tool call on one line, with its input and result inside. */
export const ToolLine = memo(function ToolLine(props: {
  readonly block: ToolBlock
  readonly ended: boolean
  readonly fileLink?: FileLink
}) {
  const { block, ended, fileLink } = props
  const { result } = block
  const file = fileLink ? writtenFile(block) : null
  const state = stateOf(block, ended)
  const tookMs = block.endedAt === null ? 0 : block.endedAt - block.startedAt
  const line = (
    <Fold
      label={
        <>
          <span className={classNames('shrink-0', STATE_CLASSES[state])}>
            <Icon name={STATE_ICONS[state]} size={14} />
          </span>
          <span className="min-w-0 truncate font-mono text-sm">{toolWords(block)}</span>
          {state === 'done' ? (
            <span className="sr-only">done</span>
          ) : (
            <span className={classNames('shrink-0 text-xs', STATE_CLASSES[state])}>{state}</span>
          )}
          {tookMs >= 1_000 ? (
            <span className="shrink-0 text-xs text-muted tabular-nums">{durationWords(tookMs)}</span>
          ) : null}
        </>
      }
    >
      <CodeBlock label={`${block.tool}, given`} code={inputText(block.input)} />
      {result ? <CodeBlock label={result.isError ? 'error' : 'result'} code={result.text || '(nothing)'} /> : null}
    </Fold>
  )
  if (!fileLink || file === null) return line
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      {line}
      <Link
        {...fileLink(file)}
        aria-label={`Open ${file}`}
        className="shrink-0 rounded-s py-1 text-sm font-[550] text-accent-text underline-offset-2 hover:underline"
      >
        Open
      </Link>
    </div>
  )
})

function stateOf({ result, waits }: ToolBlock, ended: boolean): keyof typeof STATE_CLASSES {
  if (result) return result.isError ? 'failed' : 'done'
  if (ended) return 'never finished'
  return waits ? 'waits for you' : 'running'
}

const STATE_CLASSES = {
  done: 'text-muted',
  failed: 'text-bad',
  running: 'text-working',
  'waits for you': 'text-needs',
  'never finished': 'text-muted',
} as const
const STATE_ICONS = {
  done: 'terminal',
  failed: 'close',
  running: 'terminal',
  'waits for you': 'terminal',
  'never finished': 'terminal',
} as const

/** The model's reasoning, collapsed. */
export const ReasoningLine = memo(function ReasoningLine({ block }: { block: ReasoningBlock }) {
  return (
    <Fold
      label={
        <>
          <span className="shrink-0 text-muted">
            <Icon name="thought" size={14} />
          </span>
          <span className="min-w-0 truncate text-sm text-muted">
            <span className="font-[550]">Thought</span>{' '}
            {block.text
              .slice(0, 200)
              .replace(/[*_`#\s]+/g, ' ')
              .trim()}
          </span>
        </>
      }
    >
      <p className="rounded-m bg-bg px-3 py-2 text-sm whitespace-pre-wrap text-muted">{block.text}</p>
    </Fold>
  )
})

/** The contents render only when open: a run may have hundreds of these. */
function Fold({ label, children }: { label: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group min-w-0 open:flex-1">
      <summary className="flex h-7 w-fit max-w-full list-none items-center gap-2 rounded-s border border-line bg-bg pr-2.5 pl-2 hover:border-line-strong [&::-webkit-details-marker]:hidden">
        {label}
        <span className="shrink-0 text-muted group-open:rotate-180">
          <Icon name="down" size={12} />
        </span>
      </summary>
      {open ? <div className="mt-2 flex min-w-0 flex-col gap-2">{children}</div> : null}
    </details>
  )
}
