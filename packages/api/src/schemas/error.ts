import { CLAWBOO_ERROR_CODES } from '@clawboo/core'
import { z } from 'zod'

export const errorBodySchema = z
  .object({
    error: z.object({
      code: z
        .union([z.enum(CLAWBOO_ERROR_CODES), z.string()])
        .describe('Stable; branch on this. An upstream that is away may have a code of its own: see details.code'),
      message: z.string().describe('For people; may change'),
      details: z.record(z.string(), z.unknown()),
    }),
  })
  .meta({ id: 'ErrorBody' })

export type ErrorBody = z.infer<typeof errorBodySchema>
