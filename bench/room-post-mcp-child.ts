// The room's table of tools for a real room, in a separate process.
import { roomIdOf } from '@clawboo/core/team-chat'
import { openEventLog } from '../packages/server/src/live/event-log.ts'
import { createTeamchatTable } from '../packages/server/src/mcp/tables/teamchat-table.ts'
import { createRecordChange } from '../packages/server/src/registry/record-change.ts'
import { newAgent } from '../packages/server/src/store/contract/agents-contract.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { createRoomPosts } from '../packages/server/src/team-chat/posts/room-posts.ts'
import { serveTables } from './serve-tables.ts'

const home = process.argv.at(-1)!
const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite` })
const teamId = 'writers'
await store.teams.insert({ id: teamId, name: 'Writers', createdAt: 1 })
await store.agents.insert(newAgent('ada', { teamId }))
const rooms = createRoomPosts({ store, record: createRecordChange(store, await openEventLog(store)) })
const bound = { agentId: 'ada', teamId, roomId: roomIdOf(teamId) }
await serveTables(home, store, (grants) => ({ teamchat: async () => createTeamchatTable({ rooms, grants }) }), bound)
