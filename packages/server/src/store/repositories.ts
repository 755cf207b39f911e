import { type AgentFilesRepository, createAgentFilesRepository } from './repositories/agents/agent-files-repository.ts'
import { type AgentsRepository, createAgentsRepository } from './repositories/agents/agents-repository.ts'
import { createSessionsRepository, type SessionsRepository } from './repositories/agents/sessions-repository.ts'
import { createTeamsRepository, type TeamsRepository } from './repositories/agents/teams-repository.ts'
import { type AttemptsRepository, createAttemptsRepository } from './repositories/board/attempts-repository.ts'
import { type BoardLinesRepository, createBoardLinesRepository } from './repositories/board/board-lines-repository.ts'
import {
  createTaskCommentsRepository,
  type TaskCommentsRepository,
} from './repositories/board/task-comments-repository.ts'
import {
  createTaskEvidenceRepository,
  type TaskEvidenceRepository,
} from './repositories/board/task-evidence-repository.ts'
import { createTaskLinksRepository, type TaskLinksRepository } from './repositories/board/task-links-repository.ts'
import {
  createTaskReportsRepository,
  type TaskReportsRepository,
} from './repositories/board/task-reports-repository.ts'
import { createTasksRepository, type TasksRepository } from './repositories/board/tasks-repository.ts'
import { createMemoriesRepository, type MemoriesRepository } from './repositories/memory/memories-repository.ts'
import { createExchangesRepository, type ExchangesRepository } from './repositories/rooms/exchanges-repository.ts'
import { createPostsRepository, type PostsRepository } from './repositories/rooms/posts-repository.ts'
import {
  createRoomMembersRepository,
  type RoomMembersRepository,
} from './repositories/rooms/room-members-repository.ts'
import { createRoomsRepository, type RoomsRepository } from './repositories/rooms/rooms-repository.ts'
import { type AttentionRepository, createAttentionRepository } from './repositories/runs/attention-repository.ts'
import { createGrantsRepository, type GrantsRepository } from './repositories/runs/grants-repository.ts'
import { createMessagesRepository, type MessagesRepository } from './repositories/runs/messages-repository.ts'
import { createRunsRepository, type RunsRepository } from './repositories/runs/runs-repository.ts'
import { createSpendRepository, type SpendRepository } from './repositories/runs/spend-repository.ts'
import { type AuditRepository, createAuditRepository } from './repositories/server/audit-repository.ts'
import { type CountersRepository, createCountersRepository } from './repositories/server/counters-repository.ts'
import { createEventsRepository, type EventsRepository } from './repositories/server/events-repository.ts'
import { createSettingsRepository, type SettingsRepository } from './repositories/server/settings-repository.ts'
import {
  createOutsideToolsRepository,
  type OutsideToolsRepository,
} from './repositories/tools/outside-tools-repository.ts'
import type { Db } from './sql.ts'

export interface Repositories {
  readonly agents: AgentsRepository
  readonly teams: TeamsRepository
  readonly sessions: SessionsRepository
  readonly settings: SettingsRepository
  readonly agentFiles: AgentFilesRepository
  readonly events: EventsRepository
  readonly audit: AuditRepository
  readonly counters: CountersRepository
  readonly runs: RunsRepository
  readonly messages: MessagesRepository
  readonly attention: AttentionRepository
  readonly spend: SpendRepository
  readonly tasks: TasksRepository
  readonly taskLinks: TaskLinksRepository
  readonly attempts: AttemptsRepository
  readonly taskReports: TaskReportsRepository
  readonly taskEvidence: TaskEvidenceRepository
  readonly taskComments: TaskCommentsRepository
  readonly grants: GrantsRepository
  readonly memories: MemoriesRepository
  readonly outsideTools: OutsideToolsRepository
  readonly rooms: RoomsRepository
  readonly posts: PostsRepository
  readonly exchanges: ExchangesRepository
  readonly roomMembers: RoomMembersRepository
  readonly boardLines: BoardLinesRepository
}

/** Accepts a database, a transaction or a snapshot. */
export function createRepositories(db: Db): Repositories {
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
