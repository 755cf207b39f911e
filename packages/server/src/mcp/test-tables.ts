import { createAudit } from '../access/audit.ts'
import type { Grants } from '../access/grants.ts'
import { createBoardLines } from '../board/board-change.ts'
import { createBoardView } from '../board/board-view.ts'
import { membersOf } from '../board/open-board.ts'
import { createRunVerdicts, type RunVerdictBook } from '../board/run-verdicts.ts'
import { createTasks, type Tasks } from '../board/tasks.ts'
import type { TestRecords } from '../executor/test-records.ts'
import { createMemories } from '../memory/memories.ts'
import { createRoomPosts, type RoomPosts } from '../team-chat/posts/room-posts.ts'
import { createToolBroker } from '../tools/tool-broker.ts'
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.ts'
import { createToolServerClient } from '../tools/tool-server-client.ts'
import type { LoadTable } from './mcp-servers.ts'
import { OWN_TOOL_NAMES } from './own-tool-names.ts'
import { createMemoryTable } from './tables/memory-table.ts'
import { createTasksTable } from './tables/tasks-table.ts'
import { createTeamchatTable } from './tables/teamchat-table.ts'
import { createToolsTable } from './tables/tools-table.ts'

/** Every table of the product over one database. */
export interface TestTables {
  readonly loaders: Readonly<Record<'memory' | 'tasks' | 'tools' | 'teamchat', LoadTable>>
  readonly tasks: Tasks
  readonly verdicts: RunVerdictBook
  readonly registry: ToolRegistry
  readonly rooms: RoomPosts
}

export function createTestTables({ store, record, log }: TestRecords, grants: Grants): TestTables {
  const tasks = createTasks({ store, record, lines: createBoardLines(log) })
  const verdicts = createRunVerdicts()
  const client = createToolServerClient()
  const registry = createToolRegistry({ store, client, ownTools: [...OWN_TOOL_NAMES, 'fixture_who'] })
  const broker = createToolBroker({ store, registry, client, audit: createAudit(store) })
  const memories = createMemories(store)
  const rooms = createRoomPosts({ store, record })
  return {
    loaders: {
      memory: async () => createMemoryTable(memories),
      tasks: async () => createTasksTable({ tasks, view: createBoardView(store), members: membersOf(store), verdicts }),
      tools: async () => createToolsTable(broker),
      teamchat: async () => createTeamchatTable({ rooms, grants }),
    },
    tasks,
    verdicts,
    registry,
    rooms,
  }
}
