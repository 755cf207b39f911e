import type { DispatchLimits } from '@clawboo/core/board'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { BoardLines } from '../../board/board-lines.ts'
import type { Claims } from '../../board/claims.ts'
import type { Reports } from '../../board/reports.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Log } from '../../log.ts'
import type { RecordChange } from '../../registry/record-change.ts'
import type { Store } from '../../store/open-store.ts'
import type { AgentSlots } from '../agent-lanes.ts'
import type { Attention } from '../attention.ts'
import type { Limits } from '../limits.ts'
import type { RunStreams } from '../run-streams.ts'
import type { RunTools } from '../run-tools.ts'
import type { WorkplaceTurns } from '../workplace-turns.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import type { RunVerdictBook } from './run-verdicts.ts'

/** Everything that running tasks takes. */
export interface DispatchParts {
  readonly store: Store
  readonly record: RecordChange
  readonly runtimes: RuntimeRegistry
  readonly attention: Attention
  readonly limits: Limits
  readonly streams: RunStreams
  readonly log: Log
  /** This server, over all its restarts. */
  readonly instance: string
  readonly tasks: Pick<Tasks, 'addEvidence' | 'noteChange' | 'comment'>
  readonly claims: Claims
  readonly reports: Pick<Reports, 'submit' | 'applyUnread'>
  readonly lines: Pick<BoardLines, 'onLine'>
  readonly worktrees: Worktrees
  /** Those of whoever reviews the work. */
  readonly turns: WorkplaceTurns
  readonly slots: AgentSlots
  readonly verdicts: RunVerdictBook
  readonly tools?: RunTools
  readonly dispatchLimits?: DispatchLimits
  readonly renewMs?: number
  readonly pollMs?: number
  readonly now?: () => number
  /** Told of each step of an attempt, before it is taken. A test dies here. */
  readonly onStep?: (step: AttemptStep) => void
}

export type AttemptStep =
  | 'claim'
  | 'workplace'
  | 'note-workplace'
  | 'open-tools'
  | 'write-run'
  | 'note-run'
  | 'start'
  | 'end-run'
  | 'evidence'
  | 'report'
  | 'over'
