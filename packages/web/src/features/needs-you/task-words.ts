import type { AttentionAnswer, AttentionTask } from '@clawboo/core/executor'

/** Whose task it is and who asked. The operator, who reads this, is no Boo and no person of the fleet. */
export function askedWords(agentId: string | null, { askedOf, askedBy }: AttentionTask): string {
  return `Asked of ${agentId === null ? 'you' : askedOf} by ${askedBy}`
}

/** Why an answer cannot be sent without words; null when it can. */
export function wordsMissing(answer: AttentionAnswer, text: string): string | null {
  if (text.trim() !== '') return null
  if (answer === 'answer') return 'Write the answer first.'
  return answer === 'refuse' ? 'Say why; whoever asked reads it.' : null
}

/** What is read aloud once an answer is kept. */
export function taskAnswered(answer: AttentionAnswer): string {
  switch (answer) {
    case 'accept':
      return 'Accepted; the task is in progress.'
    case 'answer':
      return 'Answered; the task stays open.'
    case 'done':
      return 'Done; the task is signed off.'
    default:
      return 'Refused; whoever asked is told.'
  }
}
