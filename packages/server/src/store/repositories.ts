import { type AgentFilesRepository, createAgentFilesRepository } from './agent-files-repository.ts'
import { type AgentsRepository, createAgentsRepository } from './agents-repository.ts'
import { type AttentionRepository, createAttentionRepository } from './attention-repository.ts'
import { type AuditRepository, createAuditRepository } from './audit-repository.ts'
import { type BoardLinesRepository, createBoardLinesRepository } from './board-lines-repository.ts'
import { type CountersRepository, createCountersRepository } from './counters-repository.ts'
import { createEventsRepository, type EventsRepository } from './events-repository.ts'
import { createExchangesRepository, type ExchangesRepository } from './exchanges-repository.ts'
import { createExecutionsRepository, type ExecutionsRepository } from './executions-repository.ts'
import { createGrantsRepository, type GrantsRepository } from './grants-repository.ts'
import { createMemoriesRepository, type MemoriesRepository } from './memories-repository.ts'
import { createMessagesRepository, type MessagesRepository } from './messages-repository.ts'
import { createOutsideToolsRepository, type OutsideToolsRepository } from './outside-tools-repository.ts'
import { createPostsRepository, type PostsRepository } from './posts-repository.ts'
import { createRoomMembersRepository, type RoomMembersRepository } from './room-members-repository.ts'
import { createRoomsRepository, type RoomsRepository } from './rooms-repository.ts'
import { createRunsRepository, type RunsRepository } from './runs-repository.ts'
import { createSessionsRepository, type SessionsRepository } from './sessions-repository.ts'
import { createSettingsRepository, type SettingsRepository } from './settings-repository.ts'
import { createSpendRepository, type SpendRepository } from './spend-repository.ts'
import type { Db } from './sql.ts'
import { createTaskCommentsRepository, type TaskCommentsRepository } from './task-comments-repository.ts'
import { createTaskEvidenceRepository, type TaskEvidenceRepository } from './task-evidence-repository.ts'
import { createTaskLinksRepository, type TaskLinksRepository } from './task-links-repository.ts'
import { createTaskReportsRepository, type TaskReportsRepository } from './task-reports-repository.ts'
import { createTasksRepository, type TasksRepository } from './tasks-repository.ts'
import { createTeamsRepository, type TeamsRepository } from './teams-repository.ts'

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
  readonly executions: ExecutionsRepository
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
    executions: createExecutionsRepository(db),
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
