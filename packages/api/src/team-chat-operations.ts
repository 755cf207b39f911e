import { z } from 'zod'
import type { Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import { recordId } from './schemas/runs.ts'
import * as room from './schemas/team-chat.ts'

/** What is said in a team's room, and what follows from it. */
export const TEAM_CHAT_OPERATIONS = {
  readRoom: {
    tag: 'Team chat',
    summary: "What was said in a team's room, and what is under way; without a number, the newest",
    query: room.roomQuerySchema,
    response: room.roomSchema,
    errors: ['team_not_found', 'room_not_found'],
  },
  listRooms: {
    tag: 'Team chat',
    summary: 'How far every room has come',
    response: room.roomHeadsSchema,
  },
  startExchange: {
    tag: 'Team chat',
    summary: 'Say something to a room and let its Boos answer, within the bounds',
    body: room.startExchangeSchema,
    response: room.sentToRoomSchema,
    status: 201,
    errors: ['team_not_found', 'agent_not_found', 'queue_full', 'server_stopping'],
  },
  getExchange: {
    tag: 'Team chat',
    summary: 'One exchange: who spoke, who still has to, and why it ended',
    params: z.object({ exchangeId: recordId() }),
    response: room.exchangeSchema,
    errors: ['exchange_not_found'],
  },
  postToRoom: {
    tag: 'Team chat',
    summary: 'Say something to a room and wake nobody',
    body: room.postToRoomSchema,
    response: room.postSchema,
    status: 201,
    errors: ['team_not_found', 'agent_not_found'],
  },
  previewRoom: {
    tag: 'Team chat',
    summary: 'Who would run for a message, why, how many turns at most and what it may cost',
    body: room.previewRoomSchema,
    response: room.roomPreviewSchema,
    errors: ['team_not_found', 'agent_not_found'],
  },
  stopRoom: {
    tag: 'Team chat',
    summary: 'Stop an exchange, or all that follows from one message or signal',
    body: room.stopRoomSchema,
    response: room.exchangeSchema,
    errors: ['exchange_not_found'],
  },
  getRoomSettings: {
    tag: 'Team chat',
    summary: 'How many turns an exchange of a room may have, and whether reports begin one',
    query: room.roomSettingsQuerySchema,
    response: room.roomSettingsSchema,
    errors: ['team_not_found'],
  },
  changeRoomSettings: {
    tag: 'Team chat',
    summary: "Change a room's settings; what is absent stays",
    body: room.changeRoomSettingsSchema,
    response: room.roomSettingsSchema,
    errors: ['team_not_found'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
