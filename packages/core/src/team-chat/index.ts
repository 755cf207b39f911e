export type { ExchangeChange } from './apply-exchange-event.ts'
export { applyExchangeEvent } from './apply-exchange-event.ts'
export {
  type BoardSignal,
  type Chain,
  type ChainOrigin,
  DROP_REASONS,
  type DroppedWake,
  type DropReason,
  type ExchangeEvent,
  type ExchangeState,
  HOP_LIMIT,
  MAX_TURNS,
  OBLIGATION_REASONS,
  type Obligation,
  type ObligationReason,
  openExchange,
  type Participant,
  type PersonMessage,
  turnBound,
  type WakeCause,
} from './exchange-state.ts'
export {
  END_REASONS,
  type EndReason,
  type EndStep,
  leaderOf,
  type NextStep,
  nextStep,
  type SpeakerChoice,
  type SpeakStep,
} from './next-step.ts'
export {
  isPass,
  mayBecomePass,
  PASS_TOKEN,
  POST_KINDS,
  type PostAuthor,
  postKind,
  type RoomId,
  roomIdOf,
  type TeamChatPost,
  teamIdOf,
} from './post.ts'
export { previewWake, type WakePreview } from './preview-wake.ts'
export { readExchangeState } from './read-exchange-state.ts'
export { findAuthorIdProblem, wrapPost } from './wrap-post.ts'
