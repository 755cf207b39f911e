export {
  ATTEMPT_OUTCOMES,
  type Attempt,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptState,
  LEASE_MS,
  LEASE_RENEW_MS,
} from './attempt.ts'
export { applyAttemptReport, judgeReport, type ReportVerdict } from './attempt-report.ts'
export { DEFAULT_DELEGATION_CAPS, type DelegationCaps, judgeDelegation } from './delegation.ts'
export { judgeLink, type TaskLink } from './dependencies.ts'
export { cancelDependents, type DependentChange, reopenDependents } from './dependents.ts'
export {
  type AttemptEnd,
  countFruitless,
  DEFAULT_DISPATCH_LIMITS,
  type DispatchAgent,
  type DispatchCandidate,
  type DispatchLimits,
  type DispatchPlan,
  type LiveRun,
  planDispatch,
  type WaitCode,
} from './dispatch-queue.ts'
export {
  type DoneOverride,
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceLack,
  findEvidenceProblem,
  judgeDone,
  type NamedPerson,
} from './evidence.ts'
export { plainWords, QUOTED_CHARACTERS, quoteTitle } from './quote-title.ts'
export { type Blocker, hasFailed, judgeReadiness, type Readiness } from './readiness.ts'
export {
  type BoardTask,
  findReasonProblem,
  findTaskProblems,
  TASK_BODY_CHARACTERS,
  TASK_PRIORITIES,
  TASK_REASON_CHARACTERS,
  TASK_TITLE_CHARACTERS,
  type Task,
  type TaskAssignee,
  type TaskCard,
  type TaskPriority,
  type TaskProblem,
  type TaskSource,
} from './task.ts'
export {
  isTaskStatus,
  judgeTransition,
  STATUS_WORDS,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  type TaskStatus,
  type TransitionBy,
} from './transitions.ts'
