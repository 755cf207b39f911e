export type { AskedApproval, GivenApproval } from './asked-approval.ts'
export {
  ATTENTION_ANSWERS,
  type AttentionAction,
  type AttentionAnswer,
  type AttentionItem,
  type AttentionTask,
} from './attention-item.ts'
export { CAPABILITIES, type Capabilities, missingCapabilities, NO_CAPABILITIES } from './capabilities.ts'
export { type ConversationReading, type ConversationSettings, NO_CONVERSATION_SETTINGS } from './conversation.ts'
export { LazyRuntime, resolveRuntimeIntegration } from './lazy-runtime.ts'
export {
  MESSAGE_MODES,
  MESSAGE_STATES,
  type MessageMode,
  type MessageRecord,
  type MessageState,
  type MessageVerdict,
} from './message-record.ts'
export type {
  KeyCheck,
  LocalProgram,
  ModelDefaults,
  ModelProvider,
  ModelProviders,
  ModelProvidersDefinition,
  OwnProvider,
  ProvidedModel,
} from './model-providers.ts'
export type { MessageBatch, MessageQueue, QueuedMessage } from './queue/message-batch.ts'
export {
  type AcceptResult,
  acceptMessage,
  createMessageQueue,
  heldMessages,
  nextBatch,
  type RunState,
} from './queue/message-queue.ts'
export { batchDelivered, batchFailed, batchReturned, withdrawMessages } from './queue/queue-outcomes.ts'
export {
  DEFAULT_QUEUE_SETTINGS,
  type PartialQueueSettings,
  type QueueSettings,
  resolveQueueSettings,
} from './queue/queue-settings.ts'
export { returnSteers, steersDelivered, steersRefused, takeSteers } from './queue/queue-steers.ts'
export type { LimitTripped, RunGuard } from './run-guard.ts'
export {
  countedUsd,
  type DailyBudgets,
  DEFAULT_DAILY_BUDGETS,
  DEFAULT_RUN_LIMITS,
  type RunLimits,
  trippedBudget,
  trippedRunLimit,
} from './run-limits.ts'
export { RUN_REASONS, type RunReason } from './run-reason.ts'
export {
  RUN_OUTCOMES,
  RUN_PROMPT_CHARACTERS,
  RUN_TEXT_CHARACTERS,
  type RunDetail,
  type RunEntry,
  type RunOutcome,
  type RunRecord,
} from './run-record.ts'
export type {
  AgentFileTexts,
  AgentInspection,
  ApprovalAnswer,
  FolderRead,
  HostTool,
  HostToolAnswer,
  HostToolCall,
  HostTools,
  InspectedFile,
  InspectedSkill,
  InspectedTool,
  Prompt,
  RunHandle,
  RuntimeAdapter,
  RuntimeHealth,
  RuntimeModel,
  SessionCodec,
  StartOptions,
  SteerOutcome,
  TaskHandle,
} from './runtime-adapter.ts'
export {
  WORKSPACE_MAX_BYTES,
  WORKSPACE_MAX_ENTRIES,
  type WorkspaceEntry,
  type WorkspaceFile,
  type WorkspaceListing,
  type WorkspaceView,
} from './runtime-adapter.ts'
export { fixedCatalogue, type RuntimeCatalogue, type RuntimeDefinition } from './runtime-definition.ts'
export type { RuntimeDescriptor } from './runtime-descriptor.ts'
export {
  type ApprovalRequestEvent,
  type CostEvent,
  type DoneEvent,
  type ErrorEvent,
  endsRun,
  type RuntimeEvent,
  type RuntimeEventBody,
  type RuntimeEventEnvelope,
} from './runtime-event.ts'
export { RuntimeRegistry } from './runtime-registry.ts'
export { SingleConsumerQueue } from './single-consumer-queue.ts'
