import type { TaskAttempt, TaskDetail } from '../../../../api/tasks.ts'

export interface ReviewProps {
  readonly detail: TaskDetail
  readonly attempt: TaskAttempt
  readonly branch: string | null
  readonly fileCount: number
}
