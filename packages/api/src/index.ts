export {
  type AgentStreamSignal,
  type FeedSignal,
  type LiveEvent,
  type LiveEventType,
  MESSAGE_EVENT_CHARACTERS,
} from './live-event.ts'
export { type FleetEventType, LIVE_EVENTS, liveEventSchema } from './live-event-table.ts'
export { OPERATIONS, type Operation, type Operations } from './operations.ts'
export { type OperationId, ROUTES, type Route } from './routes.ts'
export { type ErrorBody, errorBodySchema } from './schemas/error.ts'
