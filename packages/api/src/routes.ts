/**
 * Every operation of the HTTP interface with its method and path. Contains no schema, so the page's client stays small.
 * `access: 'open'` marks the few operations without a credential.
 */
export const ROUTES = {
  checkHealth: { method: 'GET', path: '/healthz', access: 'open' },

  signIn: { method: 'POST', path: '/api/sign-in', access: 'open' },
  signOut: { method: 'POST', path: '/api/sign-out' },
  createSignInLink: { method: 'POST', path: '/api/sign-in-links' },
  rotateToken: { method: 'POST', path: '/api/token/rotate' },
  listAudit: { method: 'GET', path: '/api/audit' },
  getStatus: { method: 'GET', path: '/api/status' },
  followEvents: { method: 'GET', path: '/api/events' },

  listAgents: { method: 'GET', path: '/api/agents' },
  createAgent: { method: 'POST', path: '/api/agents' },
  getAgent: { method: 'GET', path: '/api/agents/{agentId}' },
  updateAgent: { method: 'PATCH', path: '/api/agents/{agentId}' },
  deleteAgent: { method: 'DELETE', path: '/api/agents/{agentId}' },
  moveAgent: { method: 'POST', path: '/api/agents/{agentId}/move' },
  listAgentSessions: { method: 'GET', path: '/api/agents/{agentId}/sessions' },
  listAgentFiles: { method: 'GET', path: '/api/agents/{agentId}/files' },
  readAgentFile: { method: 'GET', path: '/api/agents/{agentId}/files/{fileName}' },
  writeAgentFile: { method: 'PUT', path: '/api/agents/{agentId}/files/{fileName}' },
  listAgentFileHistory: { method: 'GET', path: '/api/agents/{agentId}/files/{fileName}/history' },
  listWorkspace: { method: 'GET', path: '/api/agents/{agentId}/workspace' },
  readWorkspaceFile: { method: 'GET', path: '/api/agents/{agentId}/workspace/file', query: 'required' },

  sendMessage: { method: 'POST', path: '/api/agents/{agentId}/messages' },
  listMessages: { method: 'GET', path: '/api/agents/{agentId}/messages' },
  withdrawMessage: { method: 'DELETE', path: '/api/agents/{agentId}/messages/{messageId}' },
  readConversation: { method: 'GET', path: '/api/agents/{agentId}/conversation' },
  changeConversation: { method: 'PATCH', path: '/api/agents/{agentId}/conversation' },
  resetConversation: { method: 'POST', path: '/api/agents/{agentId}/conversation/reset' },
  followAgent: { method: 'GET', path: '/api/agents/{agentId}/stream' },
  stopAgent: { method: 'POST', path: '/api/agents/{agentId}/stop' },
  inspectAgent: { method: 'GET', path: '/api/agents/{agentId}/inspection' },

  listRuns: { method: 'GET', path: '/api/runs' },
  getRun: { method: 'GET', path: '/api/runs/{runId}' },
  stopRun: { method: 'POST', path: '/api/runs/{runId}/stop' },

  listAttention: { method: 'GET', path: '/api/attention' },
  answerAttention: { method: 'POST', path: '/api/attention/{itemId}/answer' },

  getLimits: { method: 'GET', path: '/api/limits' },
  setLimits: { method: 'PUT', path: '/api/limits' },

  listProviders: { method: 'GET', path: '/api/providers' },
  saveProvider: { method: 'PUT', path: '/api/providers/{providerId}' },
  removeProvider: { method: 'DELETE', path: '/api/providers/{providerId}' },
  checkProviderKey: { method: 'POST', path: '/api/providers/{providerId}/check' },
  storeProviderKey: { method: 'PUT', path: '/api/providers/{providerId}/key' },
  removeProviderKey: { method: 'DELETE', path: '/api/providers/{providerId}/key' },
  setModelDefaults: { method: 'PUT', path: '/api/model-defaults' },
  findLocalPrograms: { method: 'GET', path: '/api/local-programs' },
  makeDemoTeam: { method: 'POST', path: '/api/demo-team' },

  listSources: { method: 'GET', path: '/api/sources' },
  syncSource: { method: 'POST', path: '/api/sources/{sourceId}/sync' },
  getConnection: { method: 'GET', path: '/api/sources/{sourceId}/connection' },
  connectSource: { method: 'POST', path: '/api/sources/{sourceId}/connection' },
  disconnectSource: { method: 'DELETE', path: '/api/sources/{sourceId}/connection' },
  findUpstreams: { method: 'GET', path: '/api/sources/{sourceId}/upstreams' },
  getToolPolicy: { method: 'GET', path: '/api/sources/{sourceId}/tool-policy' },
  changeToolPolicy: { method: 'PATCH', path: '/api/sources/{sourceId}/tool-policy' },
  removeGhosts: { method: 'POST', path: '/api/sources/{sourceId}/remove-ghosts' },
  listRuntimes: { method: 'GET', path: '/api/runtimes' },
  listRuntimeModels: { method: 'GET', path: '/api/runtimes/{runtimeId}/models' },

  getMcpConfig: { method: 'GET', path: '/api/mcp/config' },

  listToolServers: { method: 'GET', path: '/api/tool-servers' },
  registerToolServer: { method: 'POST', path: '/api/tool-servers' },
  getToolServer: { method: 'GET', path: '/api/tool-servers/{serverName}' },
  removeToolServer: { method: 'DELETE', path: '/api/tool-servers/{serverName}' },
  refreshToolServer: { method: 'POST', path: '/api/tool-servers/{serverName}/refresh' },
  approveTool: { method: 'POST', path: '/api/tools/{toolId}/approve' },
  suspendTool: { method: 'POST', path: '/api/tools/{toolId}/suspend' },

  listTeams: { method: 'GET', path: '/api/teams' },
  createTeam: { method: 'POST', path: '/api/teams' },
  getTeam: { method: 'GET', path: '/api/teams/{teamId}' },
  updateTeam: { method: 'PATCH', path: '/api/teams/{teamId}' },
  deleteTeam: { method: 'DELETE', path: '/api/teams/{teamId}' },
  addTeamMember: { method: 'PUT', path: '/api/teams/{teamId}/members/{agentId}' },
  removeTeamMember: { method: 'DELETE', path: '/api/teams/{teamId}/members/{agentId}' },
  setTeamLead: { method: 'PUT', path: '/api/teams/{teamId}/lead' },
  getTeamProject: { method: 'GET', path: '/api/teams/{teamId}/project' },
  setTeamProject: { method: 'PUT', path: '/api/teams/{teamId}/project' },

  readBoard: { method: 'GET', path: '/api/teams/{teamId}/board' },
  readBoardColumn: { method: 'GET', path: '/api/teams/{teamId}/board/{status}' },
  createTask: { method: 'POST', path: '/api/teams/{teamId}/tasks' },
  getTask: { method: 'GET', path: '/api/tasks/{taskId}' },
  updateTask: { method: 'PATCH', path: '/api/tasks/{taskId}' },
  moveTask: { method: 'POST', path: '/api/tasks/{taskId}/move' },
  signOffTask: { method: 'POST', path: '/api/tasks/{taskId}/sign-off' },
  overrideTask: { method: 'POST', path: '/api/tasks/{taskId}/override' },
  linkTask: { method: 'POST', path: '/api/tasks/{taskId}/links' },
  unlinkTask: { method: 'DELETE', path: '/api/tasks/{taskId}/links/{blockerId}' },
  commentTask: { method: 'POST', path: '/api/tasks/{taskId}/comments' },
  takeBackTask: { method: 'POST', path: '/api/tasks/{taskId}/take-back' },
  readTaskDiff: { method: 'GET', path: '/api/tasks/{taskId}/diff' },
  mergeTask: { method: 'POST', path: '/api/tasks/{taskId}/merge' },
  cleanUpTask: { method: 'POST', path: '/api/tasks/{taskId}/clean-up' },
  checkTask: { method: 'POST', path: '/api/tasks/{taskId}/check' },

  readRoom: { method: 'GET', path: '/api/team-chat', query: 'required' },
  listRooms: { method: 'GET', path: '/api/team-chat/rooms' },
  startExchange: { method: 'POST', path: '/api/team-chat/exchange' },
  getExchange: { method: 'GET', path: '/api/team-chat/exchanges/{exchangeId}' },
  postToRoom: { method: 'POST', path: '/api/team-chat/posts' },
  previewRoom: { method: 'POST', path: '/api/team-chat/preview' },
  stopRoom: { method: 'POST', path: '/api/team-chat/stop' },
  getRoomSettings: { method: 'GET', path: '/api/team-chat/settings', query: 'required' },
  changeRoomSettings: { method: 'PATCH', path: '/api/team-chat/settings' },

  getOpenApi: { method: 'GET', path: '/api/openapi.json' },
} as const satisfies Record<string, Route>

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are in braces. */
  readonly path: `/${string}`
  readonly access?: 'open'
  /** Its query has a required part. */
  readonly query?: 'required'
}

export type OperationId = keyof typeof ROUTES
