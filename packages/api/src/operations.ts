import { z } from 'zod'
import { BOARD_OPERATIONS } from './board-operations.ts'
import { liveEventSchema } from './live-event-table.ts'
import { MODEL_OPERATIONS } from './model-operations.ts'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import { RUN_OPERATIONS } from './run-operations.ts'
import * as access from './schemas/access.ts'
import * as files from './schemas/agent-files.ts'
import * as mcp from './schemas/mcp.ts'
import * as registry from './schemas/registry.ts'
import * as teams from './schemas/teams.ts'
import * as workspace from './schemas/workspace.ts'
import { SOURCE_OPERATIONS } from './source-operations.ts'
import { TEAM_CHAT_OPERATIONS } from './team-chat-operations.ts'
import { TOOL_OPERATIONS } from './tool-operations.ts'

const agentParams = z.object({ agentId: idSchema })
const fileParams = z.object({ agentId: idSchema, fileName: files.fileNameSchema })
const teamParams = z.object({ teamId: idSchema })
const memberParams = z.object({ teamId: idSchema, agentId: idSchema })

export type { Operation }

export const OPERATIONS = {
  checkHealth: { tag: 'System', summary: 'Check that the server is running', response: access.healthSchema },
  getStatus: { tag: 'System', summary: 'Read the version, database engine and counts', response: access.statusSchema },
  getOpenApi: { tag: 'System', summary: 'This document', response: z.record(z.string(), z.unknown()) },
  followEvents: {
    tag: 'System',
    summary: 'Follow all changes as server-sent events; continues after `Last-Event-ID`',
    query: z.strictObject({ after: z.string().max(40).optional() }),
    response: liveEventSchema,
    stream: true,
    errors: ['reader_limit_reached'],
  },

  getMcpConfig: {
    tag: 'MCP',
    summary: 'Read how to attach the MCP servers to another program',
    response: mcp.mcpConfigSchema,
  },

  signIn: {
    tag: 'Access',
    summary: 'Exchange a one-time code for a cookie',
    body: access.signInSchema,
    response: null,
    status: 204,
    errors: ['sign_in_code_refused', 'rate_limited'],
  },
  signOut: { tag: 'Access', summary: 'Delete the cookie', response: null, status: 204 },
  createSignInLink: {
    tag: 'Access',
    summary: 'Create a link that signs in one browser',
    response: access.signInLinkSchema,
    status: 201,
  },
  rotateToken: {
    tag: 'Access',
    summary: 'Replace the operator token; closes every feed and signs out every browser',
    response: access.rotatedSchema,
  },
  listAudit: {
    tag: 'Access',
    summary: 'Read the audit log, newest first',
    query: access.auditQuerySchema,
    response: z.object({ entries: z.array(access.auditEntrySchema) }),
  },

  listAgents: {
    tag: 'Agents',
    summary: 'Read the whole fleet from the registry',
    query: registry.fleetQuerySchema,
    response: registry.fleetSchema,
  },
  createAgent: {
    tag: 'Agents',
    summary: 'Make a Boo',
    body: registry.createAgentSchema,
    response: registry.agentSchema,
    status: 201,
    errors: [
      'agent_name_taken',
      'agent_config_invalid',
      'team_not_found',
      'source_not_found',
      'runtime_not_found',
      'upstream_disconnected',
    ],
  },
  getAgent: {
    tag: 'Agents',
    summary: 'One Boo',
    params: agentParams,
    response: registry.agentSchema,
    errors: ['agent_not_found'],
  },
  updateAgent: {
    tag: 'Agents',
    summary: 'Change a Boo',
    params: agentParams,
    body: registry.updateAgentSchema,
    response: registry.agentSchema,
    errors: ['agent_not_found', 'agent_name_taken', 'agent_config_invalid', 'team_not_found', 'upstream_disconnected'],
  },
  deleteAgent: {
    tag: 'Agents',
    summary: 'Delete a Boo and everything that belongs to it',
    params: agentParams,
    response: null,
    status: 204,
    errors: ['agent_not_found', 'upstream_disconnected'],
  },
  moveAgent: {
    tag: 'Agents',
    summary: 'Move a Boo to another runtime; its team, files and avatar stay',
    params: agentParams,
    body: registry.moveAgentSchema,
    response: registry.agentSchema,
    errors: ['agent_not_found', 'runtime_not_found'],
  },
  listAgentSessions: {
    tag: 'Agents',
    summary: "A Boo's sessions",
    params: agentParams,
    response: z.object({ sessions: z.array(registry.sessionSchema) }),
    errors: ['agent_not_found', 'upstream_disconnected'],
  },

  listAgentFiles: {
    tag: 'Agent files',
    summary: 'List every file of a Boo with its newest revision',
    params: agentParams,
    response: z.object({ files: z.array(files.fileEntrySchema) }),
    errors: ['agent_not_found'],
  },
  readAgentFile: {
    tag: 'Agent files',
    summary: 'Read a file, the newest or one revision',
    params: fileParams,
    query: files.readFileQuerySchema,
    response: files.fileContentSchema,
    errors: ['agent_not_found', 'file_not_found', 'revision_not_found', 'upstream_disconnected'],
  },
  writeAgentFile: {
    tag: 'Agent files',
    summary: 'Write a file as a new revision; a stale base returns both texts',
    params: fileParams,
    body: files.writeFileSchema,
    response: files.fileContentSchema,
    errors: ['agent_not_found', 'file_not_found', 'file_revision_stale', 'upstream_disconnected'],
  },
  listAgentFileHistory: {
    tag: 'Agent files',
    summary: 'List the revisions of a file',
    params: fileParams,
    query: files.historyQuerySchema,
    response: files.fileHistorySchema,
    errors: ['agent_not_found', 'file_not_found'],
  },
  listWorkspace: {
    tag: 'Agent files',
    summary: "List a folder in a Boo's workspace",
    params: agentParams,
    query: workspace.workspaceQuerySchema,
    response: workspace.workspaceListingSchema,
    errors: ['agent_not_found', 'agent_cannot_run', 'file_not_found', 'path_refused'],
  },
  readWorkspaceFile: {
    tag: 'Agent files',
    summary: "Read the beginning of a text file in a Boo's workspace",
    params: agentParams,
    query: workspace.workspaceFileQuerySchema,
    response: workspace.workspaceFileSchema,
    errors: ['agent_not_found', 'agent_cannot_run', 'file_not_found', 'path_refused'],
  },

  listTeams: { tag: 'Teams', summary: 'Every team', response: z.object({ teams: z.array(teams.teamSchema) }) },
  createTeam: {
    tag: 'Teams',
    summary: 'Make a team',
    body: teams.createTeamSchema,
    response: teams.teamDetailSchema,
    status: 201,
    errors: ['team_name_taken', 'agent_not_found', 'agent_name_taken'],
  },
  getTeam: {
    tag: 'Teams',
    summary: 'Read one team with its members and leader',
    params: teamParams,
    response: teams.teamDetailSchema,
    errors: ['team_not_found'],
  },
  updateTeam: {
    tag: 'Teams',
    summary: 'Rename or describe a team',
    params: teamParams,
    body: teams.updateTeamSchema,
    response: teams.teamDetailSchema,
    errors: ['team_not_found', 'team_name_taken'],
  },
  deleteTeam: {
    tag: 'Teams',
    summary: 'Delete a team; its members stay, without a team',
    params: teamParams,
    response: null,
    status: 204,
    errors: ['team_not_found'],
  },
  addTeamMember: {
    tag: 'Teams',
    summary: 'Move a Boo into a team, out of its previous one',
    params: memberParams,
    response: teams.teamDetailSchema,
    errors: ['team_not_found', 'agent_not_found', 'agent_name_taken'],
  },
  removeTeamMember: {
    tag: 'Teams',
    summary: 'Remove a Boo from a team',
    params: memberParams,
    response: teams.teamDetailSchema,
    errors: ['team_not_found', 'agent_not_found'],
  },
  setTeamLead: {
    tag: 'Teams',
    summary: "Choose the team's own lead",
    params: teamParams,
    body: teams.setTeamLeadSchema,
    response: teams.teamDetailSchema,
    errors: ['team_not_found', 'agent_not_found'],
  },
  getTeamProject: {
    tag: 'Teams',
    summary: "Read a team's project folder and check command",
    params: teamParams,
    response: teams.teamProjectSchema,
    errors: ['team_not_found'],
  },
  setTeamProject: {
    tag: 'Teams',
    summary: "Choose a team's project folder and check command; null for none",
    params: teamParams,
    body: teams.setTeamProjectSchema,
    response: teams.teamProjectSchema,
    errors: ['team_not_found', 'path_refused'],
  },

  ...BOARD_OPERATIONS,
  ...RUN_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...TEAM_CHAT_OPERATIONS,
} as const satisfies { readonly [Id in OperationId]: Operation }

export type Operations = typeof OPERATIONS
