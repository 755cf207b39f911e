import type { LiveEvent } from '@clawboo/api'
import type { ConversationReading, MessageRecord, RunDetail, RunRecord } from '@clawboo/core/executor'

/** A run of a conversation. `partial`: the run continued after its entries were loaded, so some are missing. */
export interface ConversationRun extends RunDetail {
  readonly partial: boolean
}

export interface Conversation extends Omit<ConversationReading, 'runs'> {
  readonly runs: readonly ConversationRun[]
}

export function toConversation(reading: ConversationReading): Conversation {
  return { ...reading, runs: reading.runs.map((detail) => ({ ...detail, partial: detail.run.state === 'running' })) }
}

/** The newest part of a conversation after these events. Applying the same events again changes nothing. */
export function applyToConversation(
  agentId: string,
  conversation: Conversation,
  events: readonly LiveEvent[],
): Conversation {
  let next = conversation
  for (const event of events) {
    if (event.type === 'run-started' || event.type === 'run-ended') {
      if (isOf(agentId, next, event.run)) next = withRun(next, event.run)
    } else if (event.type === 'message-changed') {
      if (isOf(agentId, next, event.message)) next = withMessage(next, event.message)
    }
  }
  return next
}

/** The matching runs after these events, newest first. */
export function applyToRuns(
  runs: readonly RunRecord[],
  events: readonly LiveEvent[],
  fits: (run: RunRecord) => boolean,
): readonly RunRecord[] {
  let next = runs
  for (const event of events) {
    if (event.type !== 'run-started' && event.type !== 'run-ended') continue
    const { run } = event
    const at = next.findIndex(({ id }) => id === run.id)
    if (at >= 0 && isOlder(run, next[at]!)) continue
    const others = at < 0 ? next : next.toSpliced(at, 1)
    if (!fits(run)) next = others
    else next = at < 0 ? [run, ...others] : next.with(at, run)
  }
  return next
}

/** Whether these events end a run that was loaded while it ran, so that its record is incomplete. */
export function hasEndedSince(run: RunRecord, events: readonly LiveEvent[]): boolean {
  return run.state === 'running' && events.some((event) => event.type === 'run-ended' && event.run.id === run.id)
}

function isOf(
  agentId: string,
  conversation: Conversation,
  of: { readonly agentId: string; readonly sessionKey: string },
): boolean {
  return of.agentId === agentId && of.sessionKey === conversation.sessionKey
}

/** Whether this is a repeated start event for a run that has already ended. */
function isOlder(run: RunRecord, known: RunRecord): boolean {
  return known.state === 'ended' && run.state === 'running'
}

function withRun(conversation: Conversation, run: RunRecord): Conversation {
  const { runs } = conversation
  const at = runs.findIndex((known) => known.run.id === run.id)
  const known = runs[at]
  if (known && isOlder(run, known.run)) return conversation
  const activeRunId =
    run.state === 'running' ? run.id : conversation.activeRunId === run.id ? null : conversation.activeRunId
  if (known) return { ...conversation, activeRunId, runs: runs.with(at, { ...known, run }) }
  return { ...conversation, activeRunId, runs: [...runs, { run, entries: [], partial: true }] }
}

/** The waiting and failed messages. A delivered message is in a run instead. */
function withMessage(conversation: Conversation, message: MessageRecord): Conversation {
  const { queued } = conversation
  const at = queued.findIndex(({ id }) => id === message.id)
  const known = queued[at]
  if (message.state === 'delivered' || message.state === 'withdrawn') {
    return known ? { ...conversation, queued: queued.toSpliced(at, 1) } : conversation
  }
  // An event includes only the start of a long text.
  const text = known?.text.startsWith(message.text) ? known.text : message.text
  const next = { ...message, text }
  return { ...conversation, queued: known ? queued.with(at, next) : [...queued, next] }
}
