import type { Command } from './command.ts'
import { agentsCommand } from './commands/agents.ts'
import { backupCommand } from './commands/backup.ts'
import { doctorCommand } from './commands/doctor.ts'
import { createHelpCommand } from './commands/help.ts'
import { mcpCommand } from './commands/mcp.ts'
import { restoreCommand } from './commands/restore.ts'
import { sayCommand } from './commands/say.ts'
import { sourcesCommand } from './commands/sources.ts'
import { startCommand } from './commands/start.ts'
import { statusCommand } from './commands/status.ts'
import { stopCommand } from './commands/stop.ts'
import { tasksCommand } from './commands/tasks.ts'
import { teamsCommand } from './commands/teams.ts'
import { tokenCommand } from './commands/token.ts'
import { toolsCommand } from './commands/tools.ts'
import { versionCommand } from './commands/version.ts'

/** Every command, in the order that the help lists them. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  stopCommand,
  statusCommand,
  doctorCommand,
  agentsCommand,
  teamsCommand,
  sourcesCommand,
  tasksCommand,
  sayCommand,
  mcpCommand,
  toolsCommand,
  tokenCommand,
  backupCommand,
  restoreCommand,
  versionCommand,
  createHelpCommand(() => COMMANDS),
]
