export { applyExchangeEvent } from './apply-exchange-event.ts'
export { AUTHOR_ID_CHARACTERS, cleanAuthorId, envelopeAuthor, findAuthorIdProblem } from './author-id.ts'
export {
  type AgentPost,
  type BoardSignal,
  DROP_REASONS,
  type DroppedWake,
  type DropReason,
  type ExchangeEvent,
  type PersonMessage,
  type TurnPost,
  type TurnTaken,
  type WakeCause,
} from './exchange-event.ts'
export {
  type Chain,
  type ChainOrigin,
  DEFAULT_EXCHANGE_POLICY,
  type ExchangePolicy,
  type ExchangeState,
  HOP_LIMIT,
  MAX_TURNS,
  OBLIGATION_REASONS,
  type Obligation,
  type ObligationReason,
  openExchange,
  type Participant,
  type TakenTurn,
  turnBound,
} from './exchange-state.ts'
export { END_REASONS, type EndReason, type EndStep, type NextStep, nextStep, type SpeakStep } from './next-step.ts'
export {
  isPass,
  mayBecomePass,
  PASS_TOKEN,
  POST_KINDS,
  type PostAuthor,
  type PostKind,
  postKind,
  type RoomId,
  roomIdOf,
  type TeamChatPost,
  teamIdOf,
} from './post.ts'
export { type PreviewedWake, previewWake, type WakePreview } from './preview-wake.ts'
export type { ExchangeChange } from './raise-obligations.ts'
export { type ExchangeReading, readExchangeState } from './read-exchange-state.ts'
export {
  type LeaderWarning,
  leaderOf,
  type SpeakerChoice,
  type SpeakerPolicy,
  type SpeakerView,
  selectSpeaker,
} from './select-speaker.ts'
export { HEADER_PLACEHOLDER, wrapPost } from './wrap-post.ts'
