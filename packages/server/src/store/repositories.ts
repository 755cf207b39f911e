import { createAgentFilesRepository } from './repositories/agents/agent-files-repository.ts'
import { createAgentsRepository } from './repositories/agents/agents-repository.ts'
import { createSessionsRepository } from './repositories/agents/sessions-repository.ts'
import { createTeamsRepository } from './repositories/agents/teams-repository.ts'
import { createAttemptsRepository } from './repositories/board/attempts-repository.ts'
import { createBoardLinesRepository } from './repositories/board/board-lines-repository.ts'
import { createTaskCommentsRepository } from './repositories/board/task-comments-repository.ts'
import { createTaskEvidenceRepository } from './repositories/board/task-evidence-repository.ts'
import { createTaskLinksRepository } from './repositories/board/task-links-repository.ts'
import { createTaskReportsRepository } from './repositories/board/task-reports-repository.ts'
import { createTasksRepository } from './repositories/board/tasks-repository.ts'
import { createMemoriesRepository } from './repositories/memory/memories-repository.ts'
import { createExchangesRepository } from './repositories/rooms/exchanges-repository.ts'
import { createPostsRepository } from './repositories/rooms/posts-repository.ts'
import { createRoomMembersRepository } from './repositories/rooms/room-members-repository.ts'
import { createRoomsRepository } from './repositories/rooms/rooms-repository.ts'
import { createAttentionRepository } from './repositories/runs/attention-repository.ts'
import { createGrantsRepository } from './repositories/runs/grants-repository.ts'
import { createMessagesRepository } from './repositories/runs/messages-repository.ts'
import { createRunsRepository } from './repositories/runs/runs-repository.ts'
import { createSpendRepository } from './repositories/runs/spend-repository.ts'
import { createAuditRepository } from './repositories/server/audit-repository.ts'
import { createCountersRepository } from './repositories/server/counters-repository.ts'
import { createEventsRepository } from './repositories/server/events-repository.ts'
import { createSettingsRepository } from './repositories/server/settings-repository.ts'
import { createOutsideToolsRepository } from './repositories/tools/outside-tools-repository.ts'
import type { Db } from './sql.ts'

export type Repositories = ReturnType<typeof createRepositories>

/** Accepts a database, a transaction or a snapshot. */
export function createRepositories(db: Db) {
  return {
    agents: createAgentsRepository(db),
    teams: createTeamsRepository(db),
    sessions: createSessionsRepository(db),
    settings: createSettingsRepository(db),
    agentFiles: createAgentFilesRepository(db),
    events: createEventsRepository(db),
    audit: createAuditRepository(db),
    counters: createCountersRepository(db),
    runs: createRunsRepository(db),
    messages: createMessagesRepository(db),
    attention: createAttentionRepository(db),
    spend: createSpendRepository(db),
    tasks: createTasksRepository(db),
    taskLinks: createTaskLinksRepository(db),
    attempts: createAttemptsRepository(db),
    taskReports: createTaskReportsRepository(db),
    taskEvidence: createTaskEvidenceRepository(db),
    taskComments: createTaskCommentsRepository(db),
    grants: createGrantsRepository(db),
    memories: createMemoriesRepository(db),
    outsideTools: createOutsideToolsRepository(db),
    rooms: createRoomsRepository(db),
    posts: createPostsRepository(db),
    exchanges: createExchangesRepository(db),
    roomMembers: createRoomMembersRepository(db),
    boardLines: createBoardLinesRepository(db),
  }
}
