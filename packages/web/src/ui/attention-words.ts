import type { AttentionAnswer, AttentionItem } from '@clawboo/core/executor'

/** What the button for an answer says. */
export const ANSWER_WORDS: Readonly<Record<AttentionAnswer, string>> = {
  'allow-once': 'Allow once',
  'allow-always': 'Always allow',
  deny: 'Deny',
  dismiss: 'Dismiss',
  retry: 'Send again',
}

const ANSWERED: Readonly<Record<AttentionAnswer, string>> = {
  'allow-once': 'Allowed once',
  'allow-always': 'Always allowed',
  deny: 'Denied',
  dismiss: 'Dismissed',
  retry: 'Sent again',
}

/** What became of an item; null while it is open. */
export function settledWords({ state, answer, answeredBy, kind }: AttentionItem): string | null {
  if (state === 'open') return null
  if (state === 'expired' || answer === null)
    return kind === 'approval' ? 'Nobody answered: not allowed' : 'No longer open'
  return answeredBy === null ? ANSWERED[answer] : `${ANSWERED[answer]} by ${answeredBy}`
}

/** The safest answer first and the usual one last, where the hand is. */
export function answersInOrder(answers: readonly AttentionAnswer[]): readonly AttentionAnswer[] {
  return ORDER.filter((answer) => answers.includes(answer))
}

const ORDER: readonly AttentionAnswer[] = ['deny', 'dismiss', 'allow-always', 'retry', 'allow-once']
