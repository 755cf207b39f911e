import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'

export const ANSWER_WORDS: Readonly<Record<AttentionAnswer, string>> = {
  'allow-once': 'Allow once',
  'allow-always': 'Always allow',
  deny: 'Deny',
  dismiss: 'Dismiss',
  retry: 'Send again',
  accept: 'Start',
  answer: 'Comment',
  done: 'Mark done',
  refuse: 'Decline',
}

const ANSWERED: Readonly<Record<AttentionAnswer, string>> = {
  'allow-once': 'Allowed once',
  'allow-always': 'Always allowed',
  deny: 'Denied',
  dismiss: 'Dismissed',
  retry: 'Sent again',
  accept: 'Started',
  answer: 'Commented',
  done: 'Done',
  refuse: 'Declined',
}

/** The outcome of an item; null while it is open. */
export function settledWords(item: AttentionItem): string | null {
  const { state, answer, answeredBy, kind } = item
  if (state === 'open') return null
  if (state === 'expired' || answer === null) {
    if (kind !== 'approval') return 'No longer open'
    if (item.runId === null && (item.expiresAt === null || wasCutShort(item))) return 'Answered outside Clawboo'
    return wasCutShort(item) ? 'The run stopped before you answered' : 'Not answered in time: denied'
  }
  return answeredBy === null ? ANSWERED[answer] : `${ANSWERED[answer]} by ${answeredBy}`
}

/** Why the approval is needed; empty when no reason is known. */
export function reasonWords({ kind, runId, detail }: AttentionItem): string {
  return kind === 'approval' && runId !== null && detail !== '' ? `Needs approval because ${detail}.` : detail
}

/** Two clocks measure the same time limit, and the run's clock may be slightly ahead. */
const CLOCKS_APART_MS = 1_000

/** Whether the run stopped before the answer was due. */
export function wasCutShort({ state, settledAt, expiresAt }: AttentionItem): boolean {
  return state === 'expired' && settledAt !== null && expiresAt !== null && settledAt < expiresAt - CLOCKS_APART_MS
}

/** The same order everywhere: answers that let the Boo continue first, answers that stop it last. */
export function answersInOrder(answers: readonly AttentionAnswer[]): readonly AttentionAnswer[] {
  return ORDER.filter((answer) => answers.includes(answer))
}

const ORDER: readonly AttentionAnswer[] = [
  'allow-once',
  'allow-always',
  'retry',
  'accept',
  'answer',
  'done',
  'refuse',
  'deny',
  'dismiss',
]

/** The scope of "Always allow", which applies to every command that offers it. */
export const KEEPS_WORDS = 'Always allow covers exactly this command, for this Boo only.'
