import type { AttentionAnswer, AttentionTask } from '@clawboo/core/executor'

/** The assignee and the author of a task. An `agentId` of null is the operator, who reads this. */
export function askedWords(agentId: string | null, { askedOf, askedBy }: AttentionTask): string {
  return `Assigned to ${agentId === null ? 'you' : askedOf} by ${askedBy}`
}

/** Why an answer needs text before it can be sent; null when it can be sent. */
export function wordsMissing(answer: AttentionAnswer, text: string): string | null {
  if (text.trim() !== '') return null
  if (answer === 'answer') return 'Write a comment first.'
  return answer === 'refuse' ? 'Enter a reason. The person who asked reads it.' : null
}

/** The announcement after an answer is stored. */
export function taskAnswered(answer: AttentionAnswer): string {
  switch (answer) {
    case 'accept':
      return 'Started. The task is in progress.'
    case 'answer':
      return 'Commented. The task stays open.'
    case 'done':
      return 'Done. The task is approved.'
    default:
      return 'Declined. The person who asked is told.'
  }
}
