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
  type SaidPost,
  type TurnTaken,
  type WakeCause,
} from './exchange-event.ts'
export { DEFAULT_EXCHANGE_POLICY, type ExchangePolicy, MAX_TURNS, turnBound } from './exchange-policy.ts'
export {
  type Chain,
  type ChainOrigin,
  type ExchangeState,
  HOP_LIMIT,
  OBLIGATION_REASONS,
  type Obligation,
  type ObligationReason,
  openExchange,
  type Participant,
  type TakenTurn,
} from './exchange-state.ts'
export { type LeaderWarning, leaderOf } from './leader-of.ts'
export { END_REASONS, type EndReason, type EndStep, type NextStep, nextStep, type SpeakStep } from './next-step.ts'
export { isPass, mayBecomePass, PASS_TOKEN } from './pass-token.ts'
export {
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
export { type SpeakerChoice, type SpeakerPolicy, type SpeakerView, selectSpeaker } from './select-speaker.ts'
export { HEADER_PLACEHOLDER, wrapPost } from './wrap-post.ts'
