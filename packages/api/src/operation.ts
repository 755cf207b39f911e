import type { ClawbooErrorCode } from '@clawboo/core'
import { z } from 'zod'

/** What one operation takes and gives. The route table says where it lives. */
export interface Operation {
  readonly summary: string
  readonly tag:
    | 'Access'
    | 'Agents'
    | 'Agent files'
    | 'Attention'
    | 'Board'
    | 'Conversations'
    | 'MCP'
    | 'Models'
    | 'Runs'
    | 'Sources'
    | 'Team chat'
    | 'Teams'
    | 'Tools'
    | 'System'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** null = answers 204 with no body. */
  readonly response: z.ZodType | null
  readonly status?: 200 | 201 | 204
  /** Answers with server-sent events that do not end by themselves. */
  readonly stream?: true
  /** Beyond those that every operation can give. */
  readonly errors?: readonly ClawbooErrorCode[]
}

/** Any id as it stands in a path. */
export const idSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
