export type { AgentInspection, InspectedFile, InspectedSkill, InspectedTool } from './agent-inspection.ts'
export type { Capabilities, RuntimeClass } from './capabilities.ts'
export { type RuntimeIntegrationPlan, resolveRuntimeIntegration } from './resolve-runtime-integration.ts'
export type { LimitTripped, RunGuard } from './run-guard.ts'
export {
  countedUsd,
  type DailyBudgets,
  type DailySpend,
  DEFAULT_DAILY_BUDGETS,
  DEFAULT_RUN_LIMITS,
  type RunLimits,
  type RunSpend,
  trippedBudget,
  trippedRunLimit,
} from './run-limits.ts'
export { RUN_REASONS, type RunReason } from './run-reason.ts'
export type {
  ApprovalAnswer,
  Prompt,
  RunHandle,
  RuntimeAdapter,
  RuntimeHealth,
  SessionCodec,
  StartOptions,
  SteerOutcome,
  TaskHandle,
} from './runtime-adapter.ts'
export {
  type ApprovalRequestEvent,
  type CostEvent,
  type DoneEvent,
  type ErrorEvent,
  endsRun,
  type RuntimeEvent,
  type RuntimeEventBody,
  type RuntimeEventEnvelope,
  type StatusEvent,
  type TextDeltaEvent,
  type ToolCallEvent,
  type ToolResultEvent,
} from './runtime-event.ts'
export { RuntimeRegistry } from './runtime-registry.ts'
export { SingleConsumerQueue } from './single-consumer-queue.ts'
