import { ApiError } from '@clawboo/api/client'
import { problemWords, TEXT_IS_KEPT } from '../../../shared/problem-words.ts'

export const LEFT_BEHIND =
  'Not confirmed. The page was closed before the server answered. Check the room before you send it again.'

/** Why a message was not accepted, and what to do. The field always keeps the text. */
export function sendProblem(error: unknown): string {
  switch (error instanceof ApiError ? error.code : 'internal') {
    case 'queue_full':
      return `Couldn't send. Too many messages are waiting. ${TEXT_IS_KEPT} Take one back, or steer now.`
    case 'agent_not_found':
      return `Couldn't send. Someone you mentioned left this team. ${TEXT_IS_KEPT} Send it again without them.`
    case 'server_stopping':
      return `Couldn't send. The server is shutting down. ${TEXT_IS_KEPT} Try again when it's back.`
    case 'network':
      return `Not confirmed. The server isn't responding. ${TEXT_IS_KEPT} Check the room before you send it again.`
    default:
      return problemWords(error, 'send', TEXT_IS_KEPT)
  }
}
