import {
  DROP_REASONS,
  END_REASONS,
  MAX_TURNS,
  OBLIGATION_REASONS,
  POST_KINDS,
  type TeamChatPost,
} from '@clawboo/core/team-chat'
import { z } from 'zod'
import type { ExchangeView } from '../exchange-view.ts'
import { idSchema } from '../operation.ts'
import { recordId } from './runs.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const count = z.number().int().min(0)
/** The id is stored, so it must be text that every database can store. */
const id = idSchema.refine((text) => text.isWellFormed(), 'must be well-formed text')
const members = z.array(id).max(50)
const body = z.string().min(1).max(32_000)
const as = id.optional().describe('A person of the team; the operator when absent')

const authorSchema = z.union([
  z.object({ kind: z.literal('agent'), id: z.string() }),
  z.object({ kind: z.literal('person'), id: z.string().describe('`operator` for the operator') }),
  z.object({ kind: z.literal('system') }),
])

type ShownPost = TeamChatPost & { readonly credential: string }

export const postSchema = z
  .object({
    roomId: z.string(),
    teamId: z.string(),
    seq: count.describe('Its number in the room, from 1 on, without gaps'),
    id: z.string(),
    author: authorSchema,
    kind: z.enum(POST_KINDS),
    body: z.string(),
    to: z.array(z.string()).describe('The Boos that should reply'),
    chainId: z.string().nullable().describe('Its cause; null for lines of the server'),
    hops: count,
    runId: z.string().nullable(),
    taskId: z.string().nullable(),
    credential: z.string().describe('The source of the author'),
    createdAt: epochMs,
  })
  .meta({ id: 'TeamChatPost' }) as unknown as z.ZodType<ShownPost, ShownPost>

export const exchangeSchema = z
  .object({
    id: z.string(),
    teamId: z.string(),
    ordinal: count,
    status: z.enum(['queued', 'running', 'ended']),
    reason: z.enum(END_REASONS).nullable().describe('null until it has ended'),
    stimulusSeq: count.nullable().describe('The post that started it; null = the board'),
    turns: count,
    bound: count.describe('The maximum number of turns'),
    speaker: z
      .object({
        agentId: z.string(),
        runId: z.string(),
        turn: count,
        because: z.enum(['obligation', 'leader']),
        chainId: z.string(),
      })
      .nullable(),
    pending: z.array(z.object({ agentId: z.string(), because: z.enum(OBLIGATION_REASONS), chainId: z.string() })),
    chains: z.array(
      z.object({
        id: z.string(),
        begunBy: z.enum(['message', 'board', 'post']),
        hops: count,
        ended: z.enum(['stopped', 'repeat']).nullable(),
      }),
    ),
    createdAt: epochMs,
    startedAt: epochMs.nullable(),
    endedAt: epochMs.nullable(),
  })
  .meta({ id: 'Exchange' }) as unknown as z.ZodType<ExchangeView, ExchangeView>

const droppedSchema = z
  .object({
    obligationId: count.nullable(),
    agentId: z.string().nullable(),
    because: z.enum(OBLIGATION_REASONS),
    chainId: z.string(),
    postId: z.string().nullable(),
    taskId: z.string().nullable(),
    reason: z.enum(DROP_REASONS),
  })
  .meta({ id: 'DroppedWake' })

export const roomQuerySchema = z.strictObject({
  teamId: id,
  sinceSeq: z.coerce.number().int().min(0).optional().describe('Only posts after it, oldest first'),
  before: z.coerce.number().int().min(1).optional().describe('The newest posts before it'),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

export const roomSchema = z
  .object({
    posts: z.array(postSchema).describe('Oldest first'),
    head: count.describe('The number of the last post; 0 = none'),
    next: count.describe('The `sinceSeq` of the next page'),
    hasMore: z.boolean().describe('Whether there are more posts in the direction of reading'),
    exchanges: z.array(exchangeSchema).describe('The active and waiting exchanges, in order'),
  })
  .meta({ id: 'Room' })

export const roomHeadsSchema = z
  .object({
    rooms: z
      .array(z.object({ teamId: z.string(), head: count.describe('The number of its last post') }))
      .describe('The rooms with at least one post'),
  })
  .meta({ id: 'RoomHeads' })

const steering = {
  to: members.optional().describe('The Boos that should reply, by id or name'),
  skip: members.optional().describe('The Boos that must not run because of it'),
  mode: z
    .enum(['queue', 'steer'])
    .optional()
    .describe('`steer` joins the active exchange; `queue`, the default, starts one after the others'),
}

export const startExchangeSchema = z
  .strictObject({
    teamId: id,
    body,
    ...steering,
    as,
    wait: z.boolean().optional().describe('Respond when the exchange has ended; disconnecting stops it'),
  })
  .meta({ id: 'StartExchange' })

export const sentToRoomSchema = z
  .object({
    post: postSchema,
    exchange: exchangeSchema,
    joined: z.boolean().describe('Whether it joined an active exchange'),
    dropped: z.array(droppedSchema).describe('The mentioned Boos that are not woken, and why'),
  })
  .meta({ id: 'SentToRoom' })

export const postToRoomSchema = z
  .strictObject({ teamId: id, body, to: members.optional(), as })
  .meta({ id: 'PostToRoom' })

export const previewRoomSchema = z.strictObject({ teamId: id, ...steering }).meta({ id: 'PreviewRoom' })

const usd = z.number().nullable().describe('Dollars; null = unknown')

export const roomPreviewSchema = z
  .object({
    joins: z.boolean(),
    wakes: z
      .array(
        z.object({
          agentId: z.string(),
          because: z.enum([...OBLIGATION_REASONS, 'leader']),
          estimatedUsd: usd,
        }),
      )
      .describe('The Boos that would run, in order, if none wakes another'),
    dropped: z.array(droppedSchema),
    turnsAtMost: count,
    estimatedUsd: usd,
    mostUsd: usd,
  })
  .meta({ id: 'RoomPreview' })

export const stopRoomSchema = z
  .strictObject({
    teamId: id,
    exchangeId: recordId().optional().describe('The active exchange when absent'),
    chainId: id.optional().describe('Only the chain of this post or signal'),
  })
  .meta({ id: 'StopRoom' })

export const roomSettingsQuerySchema = z.strictObject({ teamId: id })

export const roomSettingsSchema = z
  .object({
    teamId: z.string(),
    turnCap: count.nullable().describe('null = the default for all rooms'),
    defaultTurnCap: count,
    wakesLeader: z.boolean().describe('Whether a report on the board starts an exchange'),
  })
  .meta({ id: 'RoomSettings' })

export const changeRoomSettingsSchema = z
  .strictObject({
    teamId: id,
    turnCap: z.number().int().min(MAX_TURNS.least).max(MAX_TURNS.most).nullable().optional(),
    wakesLeader: z.boolean().optional(),
  })
  .meta({ id: 'ChangeRoomSettings' })
