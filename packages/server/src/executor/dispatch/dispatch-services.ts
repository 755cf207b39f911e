import type { DispatchLimits } from '@clawboo/core/board'
import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { BoardLines } from '../../board/board-change.ts'
import type { Claims } from '../../board/claims.ts'
import type { Reports } from '../../board/reports.ts'
import type { RunVerdictBook } from '../../board/run-verdicts.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/open-store.ts'
import type { AgentSlots } from '../conversations/agent-lanes.ts'
import type { WorktreeLocks } from '../reviews/worktree-locks.ts'
import type { RunService, RunStep } from '../run/run-service.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'

/** Everything that running tasks needs. */
export interface DispatchServices {
  readonly store: Store
  readonly runtimes: RuntimeRegistry
  readonly runs: RunService
  readonly log: Log
  /** Identifies this server across restarts. */
  readonly instance: string
  readonly now?: () => number
  readonly tasks: Pick<Tasks, 'addEvidence' | 'noteChange' | 'comment'>
  readonly claims: Claims
  readonly reports: Pick<Reports, 'submit' | 'applyUnread'>
  readonly lines: Pick<BoardLines, 'onLine'>
  readonly worktrees: Worktrees
  /** The folder that contains all worktrees. */
  readonly worktreeRoot: string
  /** Shared with the reviews of the work. */
  readonly locks: WorktreeLocks
  readonly slots: AgentSlots
  readonly verdicts: RunVerdictBook
  readonly dispatchLimits?: DispatchLimits
  readonly renewMs?: number
  readonly pollMs?: number
  /** Called before each step of an attempt. A crash test stops the server here. */
  readonly onStep?: (step: AttemptStep) => void
}

type AttemptStep = RunStep | 'claim' | 'worktree' | 'note-worktree' | 'evidence' | 'report' | 'over'
