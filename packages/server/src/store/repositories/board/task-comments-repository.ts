import { readRecords } from '../../read-records.ts'
import { type Db, sql } from '../../sql.ts'

export interface TaskComment {
  readonly id: string
  readonly taskId: string
  /** The author, as identified by the credential. */
  readonly author: { readonly kind: 'operator' | 'person' | 'agent' | 'host'; readonly id: string | null }
  /** The run that wrote the comment; null for a person. */
  readonly runId: string | null
  readonly body: string
  /** A file of the task's diff; null = the comment is about the whole task. */
  readonly file: string | null
  /** null = the comment is about the whole file. */
  readonly line: number | null
  readonly createdAt: number
}

/** The comments on tasks. */
export function createTaskCommentsRepository(db: Db) {
  return {
    insert: async ({ id, taskId, author, runId, body, file, line, createdAt }: TaskComment) => {
      await db.run(sql`INSERT INTO task_comments (id, task_id, author_kind, author_id, run_id, body, file, line, created_at)
        VALUES (${id}, ${taskId}, ${author.kind}, ${author.id}, ${runId}, ${body}, ${file}, ${line}, ${createdAt})`)
    },
    /** The newest `limit` comments, oldest first. */
    list: async (taskId: string, limit: number) => {
      const newestFirst = await readRecords(db, taskComment).all(sql`SELECT * FROM task_comments
        WHERE task_id = ${taskId} ORDER BY created_at DESC, id DESC LIMIT ${limit}`)
      return newestFirst.reverse()
    },
  }
}

type CommentRow = Omit<TaskComment, 'author'> & {
  readonly authorKind: TaskComment['author']['kind']
  readonly authorId: string | null
}

function taskComment({ authorKind, authorId, ...comment }: CommentRow): TaskComment {
  return { ...comment, author: { kind: authorKind, id: authorId } }
}
