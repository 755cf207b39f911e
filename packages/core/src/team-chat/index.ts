export type { ExchangeChange } from './apply-exchange-event.ts'
export { applyExchangeEvent } from './apply-exchange-event.ts'
export { AUTHOR_ID_CHARACTERS, cleanAuthorId, envelopeAuthor, findAuthorIdProblem } from './author-id.ts'
export {
  type AgentPost,
  type BoardSignal,
  type Chain,
  type ChainOrigin,
  DEFAULT_EXCHANGE_POLICY,
  DROP_REASONS,
  type DroppedWake,
  type DropReason,
  type ExchangeEvent,
  type ExchangePolicy,
  type ExchangeState,
  HOP_LIMIT,
  MAX_TURNS,
  OBLIGATION_REASONS,
  type Obligation,
  type ObligationReason,
  openExchange,
  type Participant,
  type PersonMessage,
  type TakenTurn,
  type TurnPost,
  type TurnTaken,
  turnBound,
  type WakeCause,
} from './exchange-state.ts'
export {
  END_REASONS,
  type EndReason,
  type EndStep,
  type LeaderWarning,
  leaderOf,
  type NextStep,
  nextStep,
  type SpeakerChoice,
  type SpeakerPolicy,
  type SpeakerView,
  type SpeakStep,
  selectSpeaker,
} from './next-step.ts'
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
export { type ExchangeReading, readExchangeState } from './read-exchange-state.ts'
export { HEADER_PLACEHOLDER, wrapPost } from './wrap-post.ts'
