import { leftBehind, type SendPromise } from '../../../shared/composer/send-problem.ts'
import { TEXT_IS_KEPT } from '../../../shared/problem-words.ts'

/** A room stores a message again when it is sent again, so the person has to check first. */
export const SEND_PROMISE: SendPromise = {
  kept: TEXT_IS_KEPT,
  unconfirmed: 'Check the room before you send it again.',
  whenFull: 'Take one back, or steer now.',
}

export const LEFT_BEHIND = leftBehind(SEND_PROMISE)
