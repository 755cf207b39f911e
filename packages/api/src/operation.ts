import type { ClawbooErrorCode } from '@clawboo/core'
import { z } from 'zod'

/** The input and output of one operation. The route table contains its path. */
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
  /** null for a 204 without a body. */
  readonly response: z.ZodType | null
  readonly status?: 200 | 201 | 204
  /** The response is a stream of server-sent events that stays open. */
  readonly stream?: true
  /** In addition to the errors of every operation. */
  readonly errors?: readonly ClawbooErrorCode[]
}

/** An id as a path parameter. */
export const idSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters')
