import type { DispatchLimits } from '@clawboo/core/board'
import type { BoardLines } from '../../board/board-lines.ts'
import type { Claims } from '../../board/claims.ts'
import type { Reports } from '../../board/reports.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { AgentSlots } from '../conversations/agent-lanes.ts'
import type { ConversationParts } from '../conversations/drive-conversations.ts'
import type { WorkplaceTurns } from '../reviews/worktree-locks.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import type { RunVerdictBook } from './run-verdicts.ts'

/** Everything that running tasks takes: all that conversations take, and the board. */
export interface DispatchParts extends ConversationParts {
  readonly tasks: Pick<Tasks, 'addEvidence' | 'noteChange' | 'comment'>
  readonly claims: Claims
  readonly reports: Pick<Reports, 'submit' | 'applyUnread'>
  readonly lines: Pick<BoardLines, 'onLine'>
  readonly worktrees: Worktrees
  /** Those of whoever reviews the work. */
  readonly turns: WorkplaceTurns
  readonly slots: AgentSlots
  readonly verdicts: RunVerdictBook
  readonly dispatchLimits?: DispatchLimits
  readonly renewMs?: number
  readonly pollMs?: number
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
