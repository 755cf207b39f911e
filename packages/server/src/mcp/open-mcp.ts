import type { Grants } from '../access/grants.ts'
import type { Board } from '../board/open-board.ts'
import type { Log } from '../log.ts'
import type { Memories } from '../memory/memories.ts'
import type { Rooms } from '../team-chat/open-team-chat.ts'
import type { Tools } from '../tools/open-tools.ts'
import { createMcpServers, type McpServers } from './mcp-servers.ts'

/** Opens our MCP servers. A server's table is loaded when it is first used. */
export function openMcp(options: {
  readonly board: Pick<Board, 'tasks' | 'view' | 'members' | 'verdicts'>
  readonly memories: Memories
  readonly tools: Tools
  readonly rooms: Rooms
  readonly grants: Grants
  readonly log: Log
}): McpServers {
  const { board, memories, tools, rooms, grants, log } = options
  return createMcpServers(
    {
      tasks: async () => (await import('./tables/tasks-table.ts')).createTasksTable(board),
      memory: async () => (await import('./tables/memory-table.ts')).createMemoryTable(memories),
      tools: async () => (await import('./tables/tools-table.ts')).createToolsTable(tools.broker),
      teamchat: async () =>
        (await import('./tables/teamchat-table.ts')).createTeamchatTable({ rooms: rooms.posts, grants }),
    },
    grants,
    log,
  )
}
