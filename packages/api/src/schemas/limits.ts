import { z } from 'zod'

const HOUR_MS = 60 * 60_000
const usd = (max: number) => z.number().positive('must be more than 0').max(max)
const whole = (max: number) => z.number().int().min(1, 'must be at least 1').max(max)

const runLimits = z.object({
  modelCalls: whole(100_000).describe('Model calls per run'),
  tokens: whole(1_000_000_000).describe('Tokens per run, in and out'),
  usd: usd(100_000).describe('Dollars a run'),
  wallMs: z
    .number()
    .int()
    .min(1_000)
    .max(7 * 24 * HOUR_MS)
    .describe('The maximum duration of a run'),
  idleMs: z
    .number()
    .int()
    .min(1_000)
    .max(24 * HOUR_MS)
    .describe('The maximum time without output'),
  unknownPriceUsdPerMillionTokens: usd(100_000).describe('The assumed cost of a call without a known price'),
})

const dailyBudgets = z.object({
  agentUsd: usd(1_000_000).describe('Dollars per day and Boo'),
  teamUsd: usd(1_000_000).describe('Dollars per day and team'),
  serverUsd: usd(1_000_000).describe('Dollars per day in total'),
})

export const setLimitsSchema = z
  .strictObject({
    run: z.strictObject(runLimits.partial().shape).optional(),
    daily: z.strictObject(dailyBudgets.partial().shape).optional(),
  })
  .refine(
    ({ run, daily }) => Object.values({ ...run, ...daily }).some((value) => value !== undefined),
    'must change at least one limit',
  )
  .meta({ id: 'SetLimits' })

const spent = {
  usd: z.number().describe('Calls without a known price count at the ceiling'),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  modelCalls: z.number().int(),
}

export const limitsSchema = z
  .object({
    run: runLimits.meta({ id: 'RunLimits' }),
    daily: dailyBudgets.meta({ id: 'DailyBudgets' }),
    day: z.string().describe('The day in UTC of `spentToday`'),
    spentToday: z.object({
      serverUsd: z.number(),
      byAgent: z.array(z.object({ agentId: z.string(), ...spent })),
      byTeam: z.array(z.object({ teamId: z.string(), ...spent })),
    }),
  })
  .meta({ id: 'Limits' })
