import { AGENT_FILE_MAX_CHARACTERS, AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { z } from 'zod'

export const fileNameSchema = z.enum(AGENT_FILE_NAMES)

const revisionNumber = z.number().int().min(0).describe('Counts from 1 per file; 0 = never written')

/** A revision without its text. */
export const fileRevisionInfoSchema = z
  .object({
    revision: revisionNumber,
    hash: z.string().describe('SHA-256 of the text, hex'),
    bytes: z.number().int(),
    author: z.string().describe('`operator`, `workspace` for a change on disk, or an agent'),
    createdAt: z.number().int(),
  })
  .meta({ id: 'FileRevisionInfo' })

export const fileEntrySchema = z
  .object({ name: fileNameSchema, latest: fileRevisionInfoSchema.nullable().describe('null = never written') })
  .meta({ id: 'FileEntry' })

export const fileContentSchema = z
  .object({
    name: fileNameSchema,
    revision: revisionNumber,
    content: z.string(),
    hash: z.string(),
    author: z.string().nullable(),
    createdAt: z.number().int().nullable(),
  })
  .meta({ id: 'FileContent' })

export const writeFileSchema = z
  .strictObject({
    content: z.string().max(AGENT_FILE_MAX_CHARACTERS, 'must have at most 262144 characters'),
    baseRevision: revisionNumber.describe('The revision that was edited; refused unless it is the newest'),
  })
  .meta({ id: 'WriteFile' })

export const readFileQuerySchema = z.strictObject({ revision: z.coerce.number().int().min(1).optional() })

export const historyQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).optional(),
  before: z.coerce.number().int().min(1).optional().describe('Only revisions older than this one'),
})

export const fileHistorySchema = z
  .object({ name: fileNameSchema, revisions: z.array(fileRevisionInfoSchema).describe('Newest first') })
  .meta({ id: 'FileHistory' })
