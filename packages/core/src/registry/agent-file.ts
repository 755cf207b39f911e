/** The files that define an agent. Only this list names them. */
export const AGENT_FILE_NAMES = [
  'AGENTS.md',
  'SOUL.md',
  'IDENTITY.md',
  'USER.md',
  'TOOLS.md',
  'HEARTBEAT.md',
  'MEMORY.md',
] as const

export type AgentFileName = (typeof AGENT_FILE_NAMES)[number]

/** Longer texts are refused from every origin, so that every stored text can be written again. */
export const AGENT_FILE_MAX_CHARACTERS = 262_144

export function isAgentFileName(name: string): name is AgentFileName {
  return (AGENT_FILE_NAMES as readonly string[]).includes(name)
}
