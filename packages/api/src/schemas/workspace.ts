import type { WorkspaceFile, WorkspaceListing } from '@clawboo/core/executor'
import { z } from 'zod'

const epochMs = z.number().int().describe('Epoch milliseconds')
const path = z.string().max(1024).describe("Relative to the Boo's workspace; links are not followed")

export const workspaceQuerySchema = z.strictObject({ path: path.optional() })
export const workspaceFileQuerySchema = z.strictObject({ path })

export const workspaceListingSchema: z.ZodType<WorkspaceListing, WorkspaceListing> = z
  .object({
    entries: z
      .array(
        z
          .object({
            name: z.string(),
            kind: z.enum(['file', 'folder', 'other']).describe('`other` cannot be opened here, such as a link'),
            bytes: z.number().int().nullable().describe('null unless it is a file'),
            modifiedAt: epochMs,
          })
          .meta({ id: 'WorkspaceEntry' }),
      )
      .describe('Folders first, then by name'),
    truncated: z.boolean().describe('There are more entries than listed'),
  })
  .meta({ id: 'WorkspaceListing' })

export const workspaceFileSchema: z.ZodType<WorkspaceFile, WorkspaceFile> = z
  .object({
    bytes: z.number().int().describe('Of the whole file'),
    modifiedAt: epochMs,
    text: z.string().nullable().describe('null = not UTF-8 text'),
    truncated: z.boolean().describe('`text` is only the beginning'),
  })
  .meta({ id: 'WorkspaceFile' })
