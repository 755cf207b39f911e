import { ApiError } from '@clawboo/api/client'
import { writeProblem } from '../../../shared/problem-words.ts'

export const LEFT_BEHIND =
  'Not known to have been sent: the page was left before an answer came. Look whether it stands in the room before you send it again.'

/** Why a message was not taken, and what to do. What was written always stays where it is. */
export function sendProblem(error: unknown): string {
  switch (error instanceof ApiError ? error.code : 'internal') {
    case 'queue_full':
      return 'Not sent: too many messages wait already. Take one of them back, or let this one join what is under way. What you typed is still here.'
    case 'agent_not_found':
      return 'Not sent: somebody in it is no longer in this team. What you typed is still here; send it again without them.'
    case 'server_stopping':
      return 'Not sent: the server is shutting down. What you typed is still here; send it when the server is back.'
    case 'network':
      return 'Not known to have been sent: the server does not answer. What you typed is still here; when the server is back, look whether it stands in the room before you send it again.'
    default: {
      const words = writeProblem(error).replace('Not saved', 'Not sent')
      return words.includes('still here') ? words : `${words} What you typed is still here.`
    }
  }
}
