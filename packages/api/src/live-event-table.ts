import type { AgentRecord, TeamRecord } from '@clawboo/core/registry'
import { AGENT_STATUSES } from '@clawboo/core/registry'
import { z } from 'zod'
import { fileNameSchema } from './schemas/agent-files.ts'
import { attentionItemSchema } from './schemas/attention.ts'
import { boardTaskSchema } from './schemas/board.ts'
import { messageSchema } from './schemas/messages.ts'
import { agentSchema, syncResultSchema } from './schemas/registry.ts'
import { runSchema } from './schemas/runs.ts'
import { exchangeSchema, postSchema } from './schemas/team-chat.ts'
import { teamSchema } from './schemas/teams.ts'

const id = z.string()
const count = z.number().int()
const agent: z.ZodType<AgentRecord, AgentRecord> = agentSchema
const team: z.ZodType<TeamRecord, TeamRecord> = teamSchema

/**
 * Every event of the feed. The server's writers, the OpenAPI document and the page derive their types from this table, so
 * a new event needs one entry here and its handling in the page, which does not compile without it.
 *
 * `changesFleet` marks events after which cached fleet data is out of date. Runs are not marked: they start and end
 * many times a minute, so the cache would never be valid.
 */
export const LIVE_EVENTS = {
  'agent-upserted': { changesFleet: true, payload: z.object({ agent }) },
  'agent-status': {
    changesFleet: true,
    payload: z.object({ agentId: id, status: z.enum(AGENT_STATUSES), statusAt: count }),
  },
  'agent-archived': { changesFleet: true, payload: z.object({ agentId: id }) },
  'agent-removed': { changesFleet: true, payload: z.object({ agentId: id }) },
  'agent-file-written': {
    changesFleet: true,
    payload: z.object({ agentId: id, name: fileNameSchema, revision: count, author: z.string() }),
  },
  'team-upserted': { changesFleet: true, payload: z.object({ team }) },
  'team-removed': { changesFleet: true, payload: z.object({ teamId: id }) },
  'sync-complete': { changesFleet: true, payload: z.object({ sourceId: id, result: syncResultSchema }) },
  'source-status': { changesFleet: true, payload: z.object({ sourceId: id }) },
  'run-started': { changesFleet: false, payload: z.object({ run: runSchema }) },
  'run-ended': { changesFleet: false, payload: z.object({ run: runSchema }) },
  /** The text is cut after `MESSAGE_EVENT_CHARACTERS`; the conversation has the whole text. */
  'message-changed': { changesFleet: false, payload: z.object({ message: messageSchema }) },
  'attention-changed': { changesFleet: false, payload: z.object({ item: attentionItemSchema }) },
  'limits-changed': { changesFleet: false, payload: z.object({}) },
  'providers-changed': { changesFleet: false, payload: z.object({}) },
  'conversation-changed': { changesFleet: false, payload: z.object({ agentId: id, sessionKey: z.string() }) },
  /** Also sent when the task's links, comments or evidence change. The body is cut after `TASK_EVENT_CHARACTERS`. */
  'task-changed': { changesFleet: false, payload: z.object({ task: boardTaskSchema }) },
  /** The body is cut after `POST_EVENT_CHARACTERS`; the room has the whole body. */
  'team-chat-posted': { changesFleet: false, payload: z.object({ post: postSchema }) },
  /** The exchange was queued, started, took another turn, got a message or a signal, or ended. */
  'exchange-changed': { changesFleet: false, payload: z.object({ exchange: exchangeSchema }) },
  /** A turn starts: the run belongs to the speaker. */
  'speaker-selected': {
    changesFleet: false,
    payload: z.object({
      teamId: id,
      exchangeId: id,
      agentId: id,
      runId: id,
      because: z.enum(['obligation', 'leader']),
      chainId: id,
      turn: count,
      bound: count,
    }),
  },
  /** An exchange ended while agents still owed a turn. */
  'turn-bound-hit': {
    changesFleet: false,
    payload: z.object({ teamId: id, exchangeId: id, turns: count, bound: count, pending: z.array(id).readonly() }),
  },
  'room-settings-changed': {
    changesFleet: false,
    payload: z.object({ teamId: id, turnCap: count.nullable(), wakesLeader: z.boolean() }),
  },
} as const satisfies Record<string, { readonly changesFleet: boolean; readonly payload: z.ZodObject }>

export type LiveEventType = keyof typeof LIVE_EVENTS

/** The events that are marked with `changesFleet`. */
export type FleetEventType = {
  [Type in LiveEventType]: (typeof LIVE_EVENTS)[Type]['changesFleet'] extends true ? Type : never
}[LiveEventType]

type PayloadShape<Type extends LiveEventType> = (typeof LIVE_EVENTS)[Type]['payload']['shape']

/** One event of the feed: its type and the fields of its payload. */
export type LiveEvent = {
  [Type in LiveEventType]: { readonly type: Type } & {
    readonly [Field in keyof PayloadShape<Type>]: z.output<PayloadShape<Type>[Field]>
  }
}[LiveEventType]

export const liveEventSchema = z
  .union(
    (Object.keys(LIVE_EVENTS) as LiveEventType[]).map((type) =>
      LIVE_EVENTS[type].payload.extend({ type: z.literal(type) }),
    ),
  )
  .meta({ id: 'LiveEvent', description: 'The data of one frame. The name of the frame is its type.' })
