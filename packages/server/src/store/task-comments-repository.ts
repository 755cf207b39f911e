import { type Db, sql } from './sql.ts'

export interface TaskComment {
  readonly id: string
  readonly taskId: string
  /** As bound to the credential it was written with. */
  readonly author: { readonly kind: 'operator' | 'person' | 'agent' | 'host'; readonly id: string | null }
  /** The run that wrote it; null for a person. */
  readonly runId: string | null
  readonly body: string
  /** The line of the task's diff it speaks of; null = of the whole file, or of the task. */
  readonly file: string | null
  readonly line: number | null
  readonly createdAt: number
}

/** What was said about a task. */
export interface TaskCommentsRepository {
  insert(comment: TaskComment): Promise<void>
  /** The newest `limit`, oldest of them first. */
  list(taskId: string, limit: number): Promise<TaskComment[]>
}

export function createTaskCommentsRepository(db: Db): TaskCommentsRepository {
  return {
    insert: async ({ id, taskId, author, runId, body, file, line, createdAt }) => {
      await db.run(sql`INSERT INTO task_comments (id, task_id, author_kind, author_id, run_id, body, file, line, created_at)
        VALUES (${id}, ${taskId}, ${author.kind}, ${author.id}, ${runId}, ${body}, ${file}, ${line}, ${createdAt})`)
    },
    list: async (taskId, limit) => {
      const newestFirst = await db.all<CommentRow>(sql`SELECT * FROM task_comments WHERE task_id = ${taskId}
        ORDER BY created_at DESC, id DESC LIMIT ${limit}`)
      return newestFirst.reverse().map(taskComment)
    },
  }
}

interface CommentRow {
  readonly id: string
  readonly task_id: string
  readonly author_kind: TaskComment['author']['kind']
  readonly author_id: string | null
  readonly run_id: string | null
  readonly body: string
  readonly file: string | null
  readonly line: number | null
  readonly created_at: number
}

function taskComment(row: CommentRow): TaskComment {
  return {
    id: row.id,
    taskId: row.task_id,
    author: { kind: row.author_kind, id: row.author_id },
    runId: row.run_id,
    body: row.body,
    file: row.file,
    line: row.line,
    createdAt: row.created_at,
  }
}
