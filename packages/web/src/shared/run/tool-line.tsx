import { Link, type LinkProps } from '@tanstack/react-router'
import { memo, type ReactNode, useState } from 'react'
import type { ReasoningBlock, ToolBlock } from '../../live/run-block.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { CodeBlock } from '../../ui/markdown/code-block.tsx'
import { durationWords } from './run-words.ts'

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
      <CodeBlock label={`${block.tool} input`} code={inputText(block.input)} />
      {result ? <CodeBlock label={result.isError ? 'error' : 'result'} code={result.text || 'No output'} /> : null}
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

const SHORT = 120

/** One line for a tool call: its summary, or the tool and its input. */
export function toolWords({ tool, summary, input }: Pick<ToolBlock, 'tool' | 'summary' | 'input'>): string {
  if (summary) return oneLine(summary)
  const shortened = shortInput(input)
  return shortened === '' ? tool : `${tool} ${shortened}`
}

/** The value that best identifies a call, or the whole input in short. */
function shortInput(input: unknown): string {
  if (typeof input === 'string') return oneLine(input)
  if (typeof input !== 'object' || input === null) return input === undefined || input === null ? '' : String(input)
  const fields = input as Readonly<Record<string, unknown>>
  for (const name of ['command', 'path', 'file', 'url', 'query', 'name']) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return oneLine(value)
  }
  const text = JSON.stringify(input)
  return text === '{}' || text === '[]' ? '' : oneLine(text)
}

/** The file that a call wrote, relative to the agent's workspace; null when there is none or it is unknown. */
export function writtenFile({ tool, input, result }: Pick<ToolBlock, 'tool' | 'input' | 'result'>): string | null {
  if ((tool !== 'write' && tool !== 'edit') || !result || result.isError) return null
  const path = (input as { readonly path?: unknown } | null)?.path
  if (typeof path !== 'string' || path.startsWith('/')) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** One field per line; texts of several lines stay unchanged. */
function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input, null, 2) ?? ''
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
      return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`
    })
    .join('\n')
}

function oneLine(text: string): string {
  const line = text
    .slice(0, SHORT * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line
}
