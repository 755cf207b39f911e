import {
  ATTEMPT_OUTCOMES,
  type Blocker,
  type BoardTask,
  EVIDENCE_KINDS,
  type Evidence,
  type Readiness,
  TASK_BODY_CHARACTERS,
  TASK_PRIORITIES,
  TASK_REASON_CHARACTERS,
  TASK_STATUSES,
  TASK_TITLE_CHARACTERS,
  type TaskCard,
  type WaitCode,
} from '@clawboo/core/board'
import { z } from 'zod'
import { idSchema } from '../operation.ts'
import { recordId } from './runs.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const count = z.number().int().min(0)
const usd = z.number().nullable().describe('null = no attempt had a known price')
/** The id is stored, so it must be text that every database can store. */
const id = idSchema.refine((text) => text.isWellFormed(), 'must be well-formed text')
const person = z.object({ id: z.string(), name: z.string() })

export const taskStatusSchema = z.enum(TASK_STATUSES)
export const taskPrioritySchema = z.enum(TASK_PRIORITIES)

const assigneeSchema = z.object({ kind: z.enum(['agent', 'person']), id }).meta({ id: 'TaskAssignee' })

const cardFields = {
  id: z.string(),
  teamId: z.string(),
  title: z.string(),
  status: taskStatusSchema,
  priority: taskPrioritySchema,
  assignee: assigneeSchema.nullable().describe('null = unassigned'),
  parentId: z.string().nullable(),
  depth: count.describe('The number of its ancestors'),
  source: z
    .object({
      kind: z.enum(['operator', 'person', 'agent']),
      id: z.string().nullable(),
      runId: z.string().nullable(),
      postId: z.string().nullable(),
    })
    .describe('The author of the task'),
  changesFiles: z.boolean().describe("Whether it edits the team's project files"),
  attempts: count.describe('The number of claims, which is the number of its newest attempt'),
  costUsd: usd,
  changedAt: epochMs.nullable().describe('Earlier evidence does not count; null = nothing was changed'),
  failedAt: epochMs.nullable().describe('When its work failed; null = it has not'),
  cancelledWith: z
    .object({
      blockerId: z.string(),
      status: z.enum(['backlog', 'todo', 'blocked']),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('Set while it is cancelled only because of a task that it waited for'),
  reason: z.string().nullable().describe('Why it is blocked or cancelled'),
  openBlockers: count.describe('The number of its blockers that are not done'),
  attemptId: z.string().nullable().describe('The active attempt; null unless the task is in progress'),
  position: z.number().describe('Its place in its column, smallest first'),
  attendedAt: epochMs.nullable().describe('When a person last moved it'),
  createdAt: epochMs,
  updatedAt: epochMs,
  startedAt: epochMs.nullable(),
  endedAt: epochMs.nullable(),
}

export const taskCardSchema: z.ZodType<TaskCard, TaskCard> = z
  .object(cardFields)
  .meta({ id: 'TaskCard', description: 'A task without its body.' })

export const boardTaskSchema: z.ZodType<BoardTask, BoardTask> = z
  .object({ ...cardFields, body: z.string() })
  .meta({ id: 'Task' })

const WAIT_CODES = [
  'not_ready',
  'unassigned',
  'waits_for_person',
  'runs_elsewhere',
  'fruitless',
  'agent_busy',
  'runtime_full',
  'server_full',
] as const satisfies readonly WaitCode[]

const boardColumnSchema = z
  .object({ status: taskStatusSchema, tasks: listOf(taskCardSchema), hasMore: z.boolean() })
  .meta({ id: 'BoardColumn' })

const taskWaitSchema = z
  .object({
    taskId: z.string(),
    code: z.enum(WAIT_CODES),
    reason: z.string().describe('For people; follows the task’s title in a sentence'),
  })
  .meta({ id: 'TaskWait' })

const taskWorkSchema = z
  .object({
    taskId: z.string(),
    attemptId: z.string(),
    attempt: count,
    agentId: z.string(),
    runId: z.string().nullable(),
    startedAt: epochMs,
  })
  .meta({ id: 'TaskWork', description: 'An active attempt.' })

export const boardSchema = z
  .object({
    columns: listOf(boardColumnSchema).describe('All seven, in the usual order'),
    waits: listOf(taskWaitSchema).describe('Why each task in to do does not start'),
    working: listOf(taskWorkSchema).describe('The active attempts'),
  })
  .meta({ id: 'Board' })

const filterFields = {
  assignee: z
    .string()
    .regex(/^(?:none|(?:agent|person):\P{Cc}{1,200})$/u, 'must be agent:<id>, person:<id> or none')
    .optional(),
  priority: taskPrioritySchema.optional(),
  text: idSchema.optional().describe('Part of the title; case does not matter'),
}

export const boardQuerySchema = z.strictObject({
  ...filterFields,
  limit: z.coerce.number().int().min(1).max(500).optional().describe('Per column, 100 by default'),
})

export const columnParamsSchema = z.object({ teamId: idSchema, status: taskStatusSchema })

export const columnQuerySchema = z
  .strictObject({
    ...filterFields,
    afterPosition: z.coerce.number().int().optional().describe('The position of the last card, together with its id'),
    afterId: recordId().optional(),
    limit: z.coerce.number().int().min(1).max(500).optional(),
  })
  .refine(
    ({ afterPosition, afterId }) => (afterPosition === undefined) === (afterId === undefined),
    'afterPosition and afterId belong together',
  )

export const columnPageSchema = boardColumnSchema

const title = z.string().trim().min(1, 'must not be empty').max(TASK_TITLE_CHARACTERS)
const body = z.string().max(TASK_BODY_CHARACTERS)
const reason = z.string().trim().min(1, 'must not be empty').max(TASK_REASON_CHARACTERS)

export const createTaskSchema = z
  .strictObject({
    title,
    body: body.optional(),
    status: z.enum(['backlog', 'todo']).optional().describe('`todo` by default'),
    priority: taskPrioritySchema.optional(),
    assignee: assigneeSchema.nullish(),
    parentId: id.nullish(),
    changesFiles: z.boolean().optional(),
    blockerIds: z.array(id).max(100).optional().describe('The tasks it waits for'),
  })
  .meta({ id: 'CreateTask' })

export const updateTaskSchema = z
  .strictObject({
    title: title.optional(),
    body: body.optional(),
    priority: taskPrioritySchema.optional(),
    assignee: assigneeSchema.nullish(),
    changesFiles: z.boolean().optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'must change at least one field')
  .meta({ id: 'UpdateTask' })

export const moveTaskSchema = z
  .strictObject({
    to: taskStatusSchema,
    reason: reason.optional().describe('The reason; required for `blocked`'),
    beforeId: id.nullish().describe('The card to place it before; null = the end'),
  })
  .meta({ id: 'MoveTask' })

export const overrideTaskSchema = z.strictObject({ reason }).meta({ id: 'OverrideTask' })
export const linkTaskSchema = z.strictObject({ blockerId: id }).meta({ id: 'LinkTask' })

export const commentTaskSchema = z
  .strictObject({
    body: z.string().min(1, 'must not be empty').max(TASK_BODY_CHARACTERS),
    file: z.string().min(1).max(4096).nullish(),
    line: z.number().int().min(1).nullish().describe('In the file after the change'),
  })
  .meta({ id: 'CommentTask' })

export const movedTaskSchema = z
  .object({ task: boardTaskSchema, warnings: listOf(z.string()).describe('Warnings for a person') })
  .meta({ id: 'MovedTask' })

export const takenBackSchema = z
  .object({ task: boardTaskSchema, stopped: z.boolean().describe('Whether a run is being stopped for it') })
  .meta({ id: 'TakenBack' })

export const taskCommentSchema = z
  .object({
    id: z.string(),
    taskId: z.string(),
    author: z.object({ kind: z.enum(['operator', 'person', 'agent', 'host']), id: z.string().nullable() }),
    runId: z.string().nullable(),
    body: z.string(),
    file: z.string().nullable(),
    line: z.number().int().nullable(),
    createdAt: epochMs,
  })
  .meta({ id: 'TaskComment' })

const blockerSchema: z.ZodType<Blocker, Blocker> = z
  .object({ id: z.string(), title: z.string(), status: taskStatusSchema, failedAt: epochMs.nullable() })
  .meta({ id: 'TaskNeighbour' })

/** Validates the fields of every kind; the type adds those of each kind. */
export const evidenceSchema = z
  .looseObject({ id: z.string(), taskId: z.string(), kind: z.enum(EVIDENCE_KINDS), at: epochMs })
  .meta({
    id: 'TaskEvidence',
    description: 'What the host observed: a check with its exit code, a hash of the work, or a person’s sign-off.',
  }) as unknown as z.ZodType<Evidence, Evidence>

const overrideSchema = z
  .object({
    id: z.string(),
    by: person.extend({ kind: z.enum(['person', 'agent', 'host']) }),
    reason: z.string(),
    at: epochMs,
    lack: z.enum(['evidence_missing', 'evidence_stale', 'check_failed']),
  })
  .meta({ id: 'TaskOverride', description: 'A person’s decision that a task is done without evidence.' })

const taskAttemptSchema = z
  .object({
    id: z.string(),
    number: count,
    agentId: z.string(),
    runtime: z.string().nullable(),
    runId: z.string().nullable().describe('The run of the attempt'),
    state: z
      .enum(['running', 'lost', ...ATTEMPT_OUTCOMES])
      .describe('`lost` includes attempts that a person took back'),
    reason: z.string().nullable(),
    costUsd: usd,
    worktree: z
      .object({ path: z.string(), branch: z.string().nullable(), base: z.string().nullable() })
      .nullable()
      .describe('Where it edits files; null = no worktree'),
    startedAt: epochMs,
    endedAt: epochMs.nullable(),
  })
  .meta({ id: 'TaskAttempt' })

const readinessSchema: z.ZodType<Readiness, Readiness> = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({
    ready: z.literal(false),
    code: z.enum(['not_todo', 'blocker_failed', 'blocker_cancelled', 'blocker_blocked', 'blocker_open']),
    reason: z.string(),
  }),
])

export const taskDetailSchema = z
  .object({
    task: boardTaskSchema,
    readiness: readinessSchema,
    wait: taskWaitSchema.nullable().describe('Why it does not start; null unless it waits in to do'),
    lack: z
      .object({ code: z.enum(['evidence_missing', 'evidence_stale', 'check_failed']), message: z.string() })
      .nullable()
      .describe('What is missing before it can be done; null = nothing'),
    blockers: listOf(blockerSchema).describe('The tasks it waits for'),
    dependents: listOf(blockerSchema).describe('The tasks that wait for it'),
    children: listOf(blockerSchema),
    comments: listOf(taskCommentSchema).describe('The newest 500, oldest first'),
    evidence: listOf(evidenceSchema).describe('Oldest first'),
    overrides: listOf(overrideSchema).describe('Oldest first'),
    attempts: listOf(taskAttemptSchema).describe('The first attempt comes first'),
  })
  .meta({ id: 'TaskDetail' })

/** A read-only list; validated as a plain array. */
export function listOf<S extends z.ZodType>(item: S): z.ZodType<readonly z.output<S>[], readonly z.input<S>[]> {
  return z.array(item)
}
