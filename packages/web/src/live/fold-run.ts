import type { CostEvent, RunReason, RunRecord, RuntimeEvent } from '@clawboo/core/executor'
import type { ApprovalBlock, RunBlock, TextBlock, ToolBlock } from './run-block.ts'

/** A run as the page shows it, built from its events. */
export interface RunFold {
  readonly lastSeq: number
  readonly blocks: readonly RunBlock[]
  /** The end from the stream; null while the run continues. */
  readonly end: RunEnd | null
  /** The newest model call's cost. */
  readonly cost: CostEvent | null
  readonly costUsd: number | null
  readonly used: RunUse
  /** Answered approvals with nothing started after them. */
  readonly answeredLast: readonly string[]
  /** The received length of each message by its number, so that no text is added twice. */
  readonly received: Readonly<Record<number, number>>
}

/** The usage of all model calls so far, counted like a run's record. */
export type RunUse = Pick<
  RunRecord,
  'modelCalls' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'costComplete'
>

export interface RunEnd {
  readonly outcome: 'completed' | 'aborted' | 'stopped' | 'failed' | 'interrupted'
  readonly reason: RunReason | null
  readonly detail: string | null
}

export const EMPTY_FOLD: RunFold = {
  lastSeq: -1,
  blocks: [],
  end: null,
  cost: null,
  costUsd: null,
  used: {
    modelCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costComplete: true,
  },
  answeredLast: [],
  received: {},
}

/**
 * Applies events to a run, live or recorded. A repeated event changes nothing. Unchanged blocks stay the same objects,
 * so that only changed ones render again.
 */
export function foldRun(events: readonly RuntimeEvent[], from: RunFold = EMPTY_FOLD): RunFold {
  const fold: OpenFold = { ...from, blocks: [...from.blocks], received: { ...from.received } }
  for (const event of events) {
    if (event.seq <= fold.lastSeq || fold.end !== null) continue
    fold.lastSeq = event.seq
    take(fold, event)
  }
  return fold.lastSeq === from.lastSeq ? from : fold
}

type OpenFold = { -readonly [Key in keyof RunFold]: RunFold[Key] } & {
  blocks: RunBlock[]
  received: Record<number, number>
}

function take(fold: OpenFold, event: RuntimeEvent): void {
  switch (event.type) {
    case 'status':
      takeStatus(fold, event)
      break
    case 'text-delta':
      takeText(fold, event)
      break
    case 'reasoning-delta':
      takeReasoning(fold, event)
      break
    case 'tool-call':
      takeToolCall(fold, event)
      break
    case 'tool-result': {
      const result = { text: event.text, isError: event.isError }
      replace<ToolBlock>(fold, isCall(event.callId), (tool) => ({
        ...tool,
        result,
        waits: false,
        endedAt: event.ts,
      }))
      break
    }
    case 'approval-request':
      takeApprovalRequest(fold, event)
      break
    case 'cost':
      fold.cost = event
      fold.costUsd = event.costUsd === null ? fold.costUsd : (fold.costUsd ?? 0) + event.costUsd
      fold.used = withCall(fold.used, event)
      break
    case 'done':
      fold.end = { outcome: event.outcome, reason: event.reason, detail: event.detail ?? null }
      break
    case 'error':
      if (event.fatal) fold.end = { outcome: 'failed', reason: event.reason, detail: event.message }
      else add(fold, event, { kind: 'notice', state: 'trouble', detail: event.message })
      break
    default:
      // An event of a newer server, which this page cannot show.
      event satisfies never
  }
}

function takeToolCall(fold: OpenFold, event: Extract<RuntimeEvent, { type: 'tool-call' }>): void {
  const { callId, tool, input, summary = null } = event
  fold.answeredLast = []
  add(fold, event, {
    kind: 'tool',
    callId,
    tool,
    input,
    summary,
    result: null,
    waits: false,
    startedAt: event.ts,
    endedAt: null,
  })
}

function takeApprovalRequest(fold: OpenFold, event: Extract<RuntimeEvent, { type: 'approval-request' }>): void {
  const { approvalId, callId, action, cwd, reason } = event
  fold.answeredLast = []
  add(fold, event, {
    kind: 'approval',
    approvalId,
    callId,
    action,
    cwd,
    reason,
    answer: null,
  })
  replace<ToolBlock>(fold, isCall(callId), (asked) => ({ ...asked, waits: true }))
}

function takeStatus(fold: OpenFold, event: RuntimeEvent & { type: 'status' }): void {
  const { state, detail = null } = event
  const last = fold.blocks.at(-1)
  switch (state) {
    case 'prompt-delivered':
      add(fold, event, { kind: 'prompt', text: detail ?? '' })
      break
    case 'approval-answered': {
      const answer = detail ?? 'answered'
      if (event.approvalId !== undefined) fold.answeredLast = [...fold.answeredLast, event.approvalId]
      const asked = fold.blocks.findLast(isApproval(event.approvalId))
      replace<ApprovalBlock>(fold, isApproval(event.approvalId), (block) => ({ ...block, answer }))
      if (asked)
        replace<ToolBlock>(fold, isCall(asked.callId), (tool) => ({ ...tool, waits: false, startedAt: event.ts }))
      break
    }
    case 'compacted':
      if (last?.kind === 'notice' && last.state === 'compacting') replaceLast(fold, { ...last, state, detail })
      else add(fold, event, { kind: 'notice', state, detail })
      break
    case 'retrying':
    case 'model-changed':
    case 'compacting':
    case 'notice':
      add(fold, event, { kind: 'notice', state, detail })
      break
    case 'model-call':
      fold.answeredLast = []
      break
    case 'started':
      break
  }
}

function withCall(used: RunUse, cost: CostEvent): RunUse {
  return {
    modelCalls: used.modelCalls + 1,
    inputTokens: used.inputTokens + cost.inputTokens,
    outputTokens: used.outputTokens + cost.outputTokens,
    cacheReadTokens: used.cacheReadTokens + cost.cacheReadTokens,
    cacheWriteTokens: used.cacheWriteTokens + cost.cacheWriteTokens,
    costComplete: used.costComplete && cost.costUsd !== null,
  }
}

function takeReasoning(fold: OpenFold, event: RuntimeEvent & { type: 'reasoning-delta' }): void {
  const last = fold.blocks.at(-1)
  if (last?.kind === 'reasoning' && last.message === event.message) {
    replaceLast(fold, { ...last, text: last.text + event.text })
  } else {
    add(fold, event, { kind: 'reasoning', message: event.message, text: event.text })
  }
}

function takeText(fold: OpenFold, event: RuntimeEvent & { type: 'text-delta' }): void {
  const known = fold.received[event.message] ?? 0
  // A whole block is shortened and closed separately, so its length does not give its position.
  const text = event.block ? event.text : event.text.slice(Math.max(0, known - event.offset))
  if (text === '') return
  fold.received[event.message] = Math.max(known, event.offset + event.text.length)
  const last = fold.blocks.at(-1)
  if (last?.kind === 'text' && last.message === event.message) {
    replaceLast(fold, { ...last, text: joined(last, text, event.block === true) })
  } else {
    add(fold, event, { kind: 'text', message: event.message, text })
  }
}

function joined(last: TextBlock, text: string, whole: boolean): string {
  return whole && !last.text.endsWith('\n\n') ? `${last.text}\n\n${text}` : last.text + text
}

type WithoutPlace<Block> = Block extends RunBlock ? Omit<Block, 'key' | 'at'> : never

function add(fold: OpenFold, event: RuntimeEvent, block: WithoutPlace<RunBlock>): void {
  fold.blocks.push({ ...block, key: event.seq, at: event.ts } as RunBlock)
}

function replaceLast(fold: OpenFold, block: RunBlock): void {
  fold.blocks[fold.blocks.length - 1] = block
}

/** Replaces the newest matching block. Searches from the end, because open blocks are among the newest. */
function replace<Block extends RunBlock>(
  fold: OpenFold,
  isIt: (block: RunBlock) => block is Block,
  change: (block: Block) => Block,
): void {
  for (let at = fold.blocks.length - 1; at >= 0; at--) {
    const block = fold.blocks[at]!
    if (!isIt(block)) continue
    fold.blocks[at] = change(block)
    return
  }
}

function isCall(callId: string) {
  return (block: RunBlock): block is ToolBlock => block.kind === 'tool' && block.callId === callId
}

function isApproval(approvalId: string | undefined) {
  return (block: RunBlock): block is ApprovalBlock => block.kind === 'approval' && block.approvalId === approvalId
}
