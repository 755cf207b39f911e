import type { RunOutcome, RunReason, RunRecord } from '@clawboo/core/executor'
import type { RunEnd, RunFold } from '../../live/fold-run.ts'
import type { NoticeBlock } from '../../live/run-block.ts'
import type { Tone } from '../../ui/pill.tsx'
import { sentence } from '../../ui/words/sentence.ts'
import { counted } from '../../ui/words/time-words.ts'

export const OUTCOME_WORDS: Readonly<Record<RunOutcome, string>> = {
  completed: 'Completed',
  aborted: 'Stopped by you',
  stopped: 'Stopped',
  failed: 'Failed',
  interrupted: 'Interrupted',
}

const OUTCOME_TONES: Readonly<Record<RunOutcome, Tone>> = {
  completed: 'good',
  aborted: 'plain',
  stopped: 'needs',
  failed: 'bad',
  interrupted: 'needs',
}

/** Whole sentences: what happened and, where it helps, what to do. */
export const REASON_WORDS: Readonly<Record<RunReason, string>> = {
  aborted_by_person: 'A person stopped it.',
  aborted_by_message: 'A new message interrupted it.',
  agent_removed: 'The Boo was removed.',
  approval_denied: 'Its request was denied.',
  context_overflow: 'The conversation is too long for the model. Start a new one.',
  idle_limit: 'It sent no output for too long.',
  model_calls_limit: 'It reached the limit of model calls for one run.',
  model_failed: 'The model did not respond.',
  model_unknown: 'The model is unknown. Choose another.',
  process_died: 'The process that ran it died.',
  refused: 'The assignee declined it.',
  repeat_limit: 'It repeated the same step too often.',
  server_died: 'The server stopped during the run. The work until then is kept.',
  server_stopping: 'The server was shut down.',
  session_unwritable: 'The conversation could not be written to disk.',
  start_failed: 'It could not be started.',
  time_limit: 'It reached the time limit for one run.',
  tokens_limit: 'It reached the limit of tokens for one run.',
  tool_errors_limit: 'Too many tool calls failed in a row.',
  usd_limit: 'It reached its dollar limit.',
}

/** The end of a run: from its record, or from the stream until the record arrives. */
export function endOfRun(
  run: Pick<RunRecord, 'state' | 'outcome' | 'reason' | 'detail'>,
  fold: RunFold,
): RunEnd | null {
  if (run.state === 'ended') return { outcome: run.outcome ?? 'interrupted', reason: run.reason, detail: run.detail }
  return fold.end
}

/** The only function that names the state of a run: for rows, the record and the end of the transcript. */
export function runStateWords(run: Pick<RunRecord, 'state' | 'outcome'>): {
  readonly word: string
  readonly tone: Tone
} {
  if (run.state === 'running') return { word: 'Running', tone: 'working' }
  const outcome = run.outcome ?? 'interrupted'
  return { word: OUTCOME_WORDS[outcome], tone: OUTCOME_TONES[outcome] }
}

/** Why the run ended, with its figures; empty when there is nothing to add. */
export function endDetail(end: Pick<RunEnd, 'reason' | 'detail'>): string {
  // The outcome already states this reason.
  const isStated = end.reason === null || end.reason === 'aborted_by_person'
  const reason = isStated ? '' : (REASON_WORDS[end.reason!] ?? `${end.reason}.`)
  return [reason, sentence(end.detail ?? '')].filter(Boolean).join(' ')
}

const NOTICE_WORDS: Readonly<Record<NoticeBlock['state'], string>> = {
  retrying: 'Trying again',
  'model-changed': 'Another model continues',
  compacting: 'Shortening the conversation',
  compacted: 'The conversation was shortened to fit the model',
  notice: '',
  trouble: 'Something failed, and the run continues',
}

export function noticeWords(notice: Pick<NoticeBlock, 'state' | 'detail'>): string {
  const words = NOTICE_WORDS[notice.state]
  // The detail may repeat the first words of the notice.
  const detail = notice.detail?.replace(words === '' ? '' : `${words}.`, '').trim()
  if (!detail) return words || 'Notice'
  return words === '' ? detail : `${words}: ${detail}`
}

export function answerWords(answer: string): string {
  const known: Readonly<Record<string, string>> = {
    'allow-once': 'Allowed once',
    'allow-always': 'Always allowed',
    deny: 'Denied',
  }
  return known[answer] ?? 'Answered'
}

/** "$0.42"; small amounts keep two significant digits; null = the price is unknown. */
export function costWords(usd: number | null, complete = true): string {
  if (usd === null) return 'no price'
  if (usd === 0) return complete ? '$0.00' : '$0.00+'
  const text = usd >= 0.1 ? inCents(usd) : usd >= 0.0001 ? String(Number(usd.toPrecision(2))) : '0.0001'
  return `${usd < 0.0001 ? '< ' : ''}$${text}${complete ? '' : '+'}`
}

/** "1,234.50". */
function inCents(usd: number): string {
  return usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** "840", "12.4k", "1.2M". */
export function tokenWords(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  if (tokens < 999_500) return `${trimmed(tokens / 1_000)}k`
  return `${trimmed(tokens / 1_000_000)}M`
}

/** "0.8 s", "12 s", "4 min 05 s", "1 h 20 min". */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** "3 calls, 12.4k tokens, $0.02, 8 s": the use of a run. */
export function figureWords(run: RunRecord): string {
  return [
    counted(run.modelCalls, 'model call'),
    `${tokenWords(run.inputTokens + run.outputTokens)} tokens`,
    // Before the first call there is no price to show.
    ...(run.modelCalls === 0 ? [] : [costWords(run.costUsd, run.costComplete)]),
    ...(run.endedAt === null ? [] : [durationWords(run.endedAt - run.startedAt)]),
  ].join(' · ')
}

function trimmed(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toFixed(1)))
}

/** The stream has the figures of a running run; the record has them after its end. */
export function withLiveFigures(run: RunRecord, live: RunFold | undefined): RunRecord {
  if (run.state === 'ended' || !live?.cost) return run
  return {
    ...run,
    ...live.used,
    model: live.cost.model,
    costUsd: live.costUsd,
    contextTokens: live.cost.contextTokens ?? run.contextTokens,
    contextWindowTokens: live.cost.contextWindowTokens ?? run.contextWindowTokens,
  }
}
