import type { RunRecord } from '@clawboo/core/executor'
import { memo, type ReactNode } from 'react'
import type { RunEnd, RunFold } from '../../live/fold-run.ts'
import type { ApprovalBlock, NoticeBlock, PromptBlock, RunBlock } from '../../live/run-block.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkdownText } from '../../ui/markdown/markdown-text.tsx'
import { clockWords, exactTime } from '../../ui/words/time-words.ts'
import { ApprovalCard, SettledApproval } from '../approval/approval-card.tsx'
import { type ApprovalOutcome, approvalOutcome } from '../approval/approval-outcome.ts'
import { Message } from '../transcript/transcript.tsx'
import { endDetail, endOfRun, figureWords, noticeWords, OUTCOME_WORDS } from './run-words.ts'
import { type FileLink, ReasoningLine, ToolLine } from './tool-line.tsx'

/** One run, block by block: messages, texts, tool calls and the end. */
export const RunView = memo(function RunView(props: {
  readonly run: RunRecord
  readonly fold: RunFold
  readonly face: ReactNode
  readonly name: string
  /** The outcomes of its approvals, for a replay of an ended run. */
  readonly outcomes?: ReadonlyMap<string, ApprovalOutcome>
  /** Links a tool call to the file it wrote. */
  readonly fileLink?: FileLink
  /** Shown at the end of a running run. */
  readonly activity?: ReactNode
}) {
  const { run, fold } = props
  const end = endOfRun(run, fold)
  const model = run.model ?? fold.cost?.model ?? null
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {fold.blocks.some((block) => block.kind === 'prompt') || run.prompt === '' ? null : (
        <Prompt at={run.startedAt} text={run.prompt} />
      )}
      {speakers(fold.blocks).map((turn) =>
        turn.prompt ? (
          <PromptLine key={turn.key} block={turn.prompt} />
        ) : (
          <Message
            key={turn.key}
            face={props.face}
            name={props.name}
            marks={model === null ? null : <span className="truncate text-xs text-muted">{model}</span>}
            time={<Time at={turn.blocks[0]!.at} />}
          >
            <div data-said className="mt-2 flex min-w-0 flex-col gap-2">
              <RunBlocks {...props} runId={run.id} blocks={turn.blocks} end={end} />
            </div>
          </Message>
        ),
      )}
      {end === null ? props.activity : <EndLine run={run} fold={fold} />}
    </div>
  )
})

export function RunBlocks(props: {
  readonly runId: string
  readonly name: string
  readonly fold: RunFold
  /** The blocks of the run that are shown here. */
  readonly blocks: readonly RunBlock[]
  /** null while the run continues. */
  readonly end: RunEnd | null
  /** Approvals are shown without buttons. */
  readonly isReadOnly?: boolean
  readonly outcomes?: ReadonlyMap<string, ApprovalOutcome>
  readonly fileLink?: FileLink
}) {
  const { fold, end } = props
  return props.blocks.map((block) => {
    const outcome = block.kind === 'approval' ? outcomeOf(block, props.outcomes, end, fold) : null
    return (
      <Block
        key={block.key}
        runId={props.runId}
        name={props.name}
        block={block}
        ended={end !== null}
        // Plain values, so that unchanged blocks do not render again.
        settled={outcome?.words ?? null}
        allowed={outcome?.allowed ?? false}
        growing={end === null && block === fold.blocks.at(-1)}
        isReadOnly={props.isReadOnly ?? false}
        fileLink={props.fileLink}
      />
    )
  })
}

/** null while it waits. */
function outcomeOf(
  { approvalId, answer }: ApprovalBlock,
  known: ReadonlyMap<string, ApprovalOutcome> | undefined,
  end: RunEnd | null,
  fold: RunFold,
): ApprovalOutcome | null {
  const outcome = known?.get(approvalId)
  if (outcome) return outcome
  if (answer === null && end === null) return null
  return approvalOutcome({ answer, last: fold.answeredLast.includes(approvalId), end })
}

interface Turn {
  readonly key: number
  readonly prompt: PromptBlock | null
  readonly blocks: RunBlock[]
}

/** Groups consecutive blocks of one speaker. */
function speakers(blocks: readonly RunBlock[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const block of blocks) {
    const last = turns.at(-1)
    if (block.kind === 'prompt') turns.push({ key: block.key, prompt: block, blocks: [] })
    else if (last && last.prompt === null) last.blocks.push(block)
    else turns.push({ key: block.key, prompt: null, blocks: [block] })
  }
  return turns
}

const PromptLine = memo(function PromptLine({ block }: { block: PromptBlock }) {
  return <Prompt at={block.at} text={block.text} />
})

function Prompt({ at, text }: { at: number; text: string }) {
  return (
    <div className="flex min-w-0 flex-col items-end gap-1 pl-8">
      <p className="flex gap-2 text-xs text-muted">
        <span className="font-[550]">You</span>
        <Time at={at} />
      </p>
      <p className="max-w-full rounded-m rounded-tr-[4px] bg-accent-soft px-3 py-2 whitespace-pre-wrap">{text}</p>
    </div>
  )
}

function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="tabular-nums">
      {clockWords(at, Date.now())}
    </time>
  )
}

const Block = memo(function Block(props: {
  readonly runId: string
  readonly name: string
  readonly block: RunBlock
  readonly ended: boolean
  /** The outcome of an approval; null while it waits. */
  readonly settled: string | null
  readonly allowed: boolean
  readonly growing: boolean
  readonly isReadOnly: boolean
  readonly fileLink?: FileLink
}) {
  const { block, ended } = props
  switch (block.kind) {
    case 'text':
      return (
        <div className={classNames(props.growing && 'growing')}>
          <MarkdownText text={block.text} />
        </div>
      )
    case 'reasoning':
      return <ReasoningLine block={block} />
    case 'tool':
      return <ToolLine block={block} ended={ended} fileLink={props.fileLink} />
    case 'approval':
      return props.settled === null ? (
        <ApprovalCard runId={props.runId} name={props.name} block={block} isReadOnly={props.isReadOnly} />
      ) : (
        <SettledApproval action={block.action} words={props.settled} allowed={props.allowed} />
      )
    case 'notice':
      return <Notice block={block} />
    case 'prompt':
      return null
  }
})

function Notice({ block }: { block: NoticeBlock }) {
  return (
    <p
      className={classNames(
        'flex min-w-0 items-start gap-2 text-sm',
        block.state === 'trouble' ? 'text-bad' : 'text-muted',
      )}
    >
      <span className="mt-[3px]">
        <Icon name="notice" size={14} />
      </span>
      <span className="min-w-0">{noticeWords(block)}</span>
    </p>
  )
}

const EndLine = memo(function EndLine({ run, fold }: { run: RunRecord; fold: RunFold }) {
  const end = endOfRun(run, fold)
  if (end === null) return null
  const figures = run.state === 'ended' ? figureWords(run) : ''
  if (end.outcome === 'completed') {
    return figures === '' ? null : <p className="pl-10 text-xs text-muted tabular-nums">{figures}</p>
  }
  const detail = endDetail(end)
  return (
    <div
      className={classNames(
        'ml-10 flex min-w-0 flex-col gap-0.5 border-l-2 pl-3 text-sm',
        end.outcome === 'failed' ? 'border-bad' : end.outcome === 'aborted' ? 'border-line-strong' : 'border-needs',
      )}
    >
      <p>
        <span className={classNames('font-[600]', end.outcome === 'failed' && 'text-bad')}>
          {OUTCOME_WORDS[end.outcome]}
        </span>
        {detail === '' ? null : <span className="text-muted">{` · ${detail}`}</span>}
      </p>
      {figures === '' ? null : <p className="text-xs text-muted tabular-nums">{figures}</p>}
    </div>
  )
})
