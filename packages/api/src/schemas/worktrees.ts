import { z } from 'zod'
import { evidenceSchema, listOf } from './board.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const lineNumber = z.number().int()

const diffFileSchema = z
  .object({
    path: z.string(),
    oldPath: z.string().nullable().describe('Its earlier path, when it was renamed'),
    change: z.enum(['added', 'changed', 'removed', 'renamed', 'retyped']),
    oldMode: z.string().nullable(),
    newMode: z.string().nullable(),
    isBinary: z.boolean(),
    hunks: listOf(
      z.object({
        oldStart: lineNumber,
        oldLines: lineNumber,
        newStart: lineNumber,
        newLines: lineNumber,
        lines: listOf(
          z.object({
            kind: z.enum(['same', 'added', 'removed']),
            text: z.string(),
            isOpen: z.boolean().optional().describe('A last line without a line end'),
          }),
        ),
      }),
    ),
    isCut: z.boolean(),
  })
  .meta({ id: 'DiffFile' })

const worktreeDiffSchema = z
  .object({
    files: listOf(diffFileSchema),
    fileCount: z.number().int().describe('The number of changed files, even when fewer are listed'),
    isCut: z.boolean(),
    sha256: z.string().describe('For the whole diff, even when parts are cut'),
    changedAt: epochMs.nullable(),
    repositories: listOf(z.string()).describe('Folders that are repositories of their own; not compared'),
  })
  .meta({ id: 'WorktreeDiff' })

const worktreeSchema = z
  .object({
    attempt: z.number().int(),
    folder: z.string(),
    branch: z.string().nullable().describe('null = a copy of a plain folder'),
  })
  .meta({ id: 'Worktree', description: 'The folder where an attempt edited files.' })

export const taskDiffSchema = z
  .object({
    worktree: worktreeSchema.nullable().describe('The worktree of the newest attempt that has one; null = none exists'),
    diff: worktreeDiffSchema.nullable().describe('null also while an agent works there'),
  })
  .meta({ id: 'TaskDiff' })

export const taskMergeSchema = z
  .object({
    how: z
      .enum(['fast-forward', 'merge-commit', 'applied', 'nothing'])
      .describe('`nothing`: the project already contains everything. `applied`: into a plain folder'),
    commit: z.string().nullable().describe("The new commit of the project's branch; null for a plain folder"),
    files: listOf(z.string()),
  })
  .meta({ id: 'TaskMerge' })

export const taskCleanUpSchema = z
  .object({
    worktrees: listOf(
      z.object({
        attempt: z.number().int().describe('The first attempt that worked there'),
        outcome: z.enum(['removed', 'nothing', 'parked', 'refused']),
        folder: z.string().nullable().describe('Its path, when it stays'),
        because: z.string().nullable().describe('Why it stays'),
      }),
    ),
  })
  .meta({ id: 'TaskCleanUp' })

export const taskCheckSchema = z
  .object({
    command: z.string(),
    exitCode: z.number().int().nullable().describe('null = it did not finish'),
    end: z.enum(['exited', 'killed', 'timed-out', 'aborted']),
    output: z.string().describe('Its beginning and end'),
    omittedBytes: z.number().int(),
    startedAt: epochMs,
    endedAt: epochMs,
    evidence: evidenceSchema.describe('As stored with the task'),
  })
  .meta({ id: 'TaskCheck' })
