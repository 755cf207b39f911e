import { ApiError } from '@clawboo/api/client'
import { problemWords } from '../problem-words.ts'

/** The composer's promises about a message that was not accepted. */
export interface SendPromise {
  /** The place that has the text now. */
  readonly kept: string
  /** Advice for when it is unknown whether the message arrived. */
  readonly unconfirmed: string
  /** Advice for when too many messages wait. */
  readonly whenFull: string
}

/** Why a message was not accepted, and what to do. */
export function sendProblem(error: unknown, promise: SendPromise): string {
  const { kept, unconfirmed, whenFull } = promise
  switch (error instanceof ApiError ? error.code : 'internal') {
    case 'queue_full':
      return `Couldn't send. Too many messages are waiting. ${kept} ${whenFull}`
    case 'agent_not_found':
      return `Couldn't send. Someone you mentioned left this team. ${kept} Send it again without them.`
    case 'server_stopping':
      return `Couldn't send. The server is shutting down. ${kept} Try again when it's back.`
    case 'network':
      return `Not confirmed. The server isn't responding. ${kept} ${unconfirmed}`
    default:
      return problemWords(error, 'send', kept)
  }
}

/** For a message of a page that closed before the server answered. */
export function leftBehind({ unconfirmed }: SendPromise): string {
  return `Not confirmed. The page was closed before the server answered. ${unconfirmed}`
}
