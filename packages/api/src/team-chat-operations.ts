import { z } from 'zod'
import type { Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import { recordId } from './schemas/runs.ts'
import * as room from './schemas/team-chat.ts'

/** Operations of a team's room. */
export const TEAM_CHAT_OPERATIONS = {
  readRoom: {
    tag: 'Team chat',
    summary: "Read a team's room and its active exchanges; without a number, the newest posts",
    query: room.roomQuerySchema,
    response: room.roomSchema,
    errors: ['team_not_found', 'room_not_found'],
  },
  listRooms: {
    tag: 'Team chat',
    summary: 'List the last post number of every room',
    response: room.roomHeadsSchema,
  },
  startExchange: {
    tag: 'Team chat',
    summary: 'Post to a room and let its Boos reply, within the limits',
    body: room.startExchangeSchema,
    response: room.sentToRoomSchema,
    status: 201,
    errors: ['team_not_found', 'agent_not_found', 'queue_full', 'server_stopping'],
  },
  getExchange: {
    tag: 'Team chat',
    summary: 'Read one exchange: its turns, who still owes one, and why it ended',
    params: z.object({ exchangeId: recordId() }),
    response: room.exchangeSchema,
    errors: ['exchange_not_found'],
  },
  postToRoom: {
    tag: 'Team chat',
    summary: 'Post to a room without waking any Boo',
    body: room.postToRoomSchema,
    response: room.postSchema,
    status: 201,
    errors: ['team_not_found', 'agent_not_found'],
  },
  previewRoom: {
    tag: 'Team chat',
    summary: 'Preview a message: which Boos would run, why, the maximum number of turns and the cost',
    body: room.previewRoomSchema,
    response: room.roomPreviewSchema,
    errors: ['team_not_found', 'agent_not_found'],
  },
  stopRoom: {
    tag: 'Team chat',
    summary: 'Stop an exchange, or the chain of one message or signal',
    body: room.stopRoomSchema,
    response: room.exchangeSchema,
    errors: ['exchange_not_found'],
  },
  getRoomSettings: {
    tag: 'Team chat',
    summary: "Read a room's turn limit and whether reports start an exchange",
    query: room.roomSettingsQuerySchema,
    response: room.roomSettingsSchema,
    errors: ['team_not_found'],
  },
  changeRoomSettings: {
    tag: 'Team chat',
    summary: "Change a room's settings; absent settings stay unchanged",
    body: room.changeRoomSettingsSchema,
    response: room.roomSettingsSchema,
    errors: ['team_not_found'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
