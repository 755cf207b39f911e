import { createInOrder } from '@clawboo/core'
import type { HostFolder, HostProcesses, Readable } from '../../host.ts'
import type { CommandSessions } from '../exec/command-sessions.ts'
import type { ExecApprovals } from '../exec/exec-approvals.ts'
import type { ExecRules } from '../exec/exec-policy.ts'
import { createExecTool } from './commands/exec-tool.ts'
import { createProcessTool } from './commands/process-tool.ts'
import { createEditTool } from './edit-tool.ts'
import { withGuardedSelf } from './files/guarded-files.ts'
import { withReadableFolders, withReadableWorkspace } from './files/readable-folders.ts'
import { createUnconfinedFiles } from './files/unconfined-files.ts'
import { createWorkspaceFiles } from './files/workspace-files.ts'
import { createApplyPatchTool } from './patch/apply-patch-tool.ts'
import { createReadTool } from './read-tool.ts'
import type { Tool } from './tool.ts'
import { createWriteTool } from './write-tool.ts'

export interface ToolsDeps {
  /** The folder that the tools work in: the agent's own workspace, or the folder of the run. */
  readonly workspace: HostFolder
  /** The agent's own workspace when it works elsewhere. `read` can open its files by absolute paths. */
  readonly ownWorkspace?: HostFolder
  /** Protects the agent's own files and skills. Set it when the prompts of the run do not come from a person. */
  readonly guardsSelf?: boolean
  /** False = paths outside the workspace are allowed. Only the operator can set this. */
  readonly workspaceOnly: boolean
  readonly exec: {
    readonly rules: ExecRules
    readonly approvals: ExecApprovals
    readonly timeoutSeconds?: number
  }
  /** The variables that a command may inherit from the server. */
  readonly env: Readonly<Record<string, string>>
  readonly commandSessions: CommandSessions
  readonly confinement: HostProcesses['confinement']
  /** Files and folders outside the workspace that commands may read. */
  readonly commandReads?: readonly Readable[]
  /** False when the policy denies `process`. */
  readonly backgroundAllowed?: boolean
  /** Folders outside the workspace that `read` can open, such as those of the agent's skills. */
  readonly readableFolders?: readonly string[]
  /** The limit of one result, so that `read` stops at the end of a line instead of being cut later. */
  readonly resultMaxChars?: number
}

export const BUILT_IN_TOOLS = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process'] as const

/** Creates all built-in tools of one agent. The policy decides which of them a model is offered. */
export function createTools(deps: ToolsDeps): readonly Tool[] {
  const files = deps.workspaceOnly ? createWorkspaceFiles(deps.workspace) : createUnconfinedFiles(deps.workspace.path)
  const own = deps.workspaceOnly && deps.ownWorkspace ? createWorkspaceFiles(deps.ownWorkspace) : null
  const readable = own ? withReadableWorkspace(files, own) : files
  const writable = deps.guardsSelf ? withGuardedSelf(files) : files
  // Writes run in order: of two concurrent edits of a file one would be lost.
  const inOrder = createInOrder()
  return [
    createReadTool(withReadableFolders(readable, deps.readableFolders ?? []), {
      maxBytes: readMaxBytes(deps.resultMaxChars),
    }),
    createWriteTool(writable, inOrder),
    createEditTool(writable, inOrder),
    createApplyPatchTool(writable, inOrder),
    createExecTool({
      ...deps.exec,
      files,
      env: deps.env,
      sessions: deps.commandSessions,
      confinement: deps.confinement,
      readable: [...(deps.readableFolders ?? []).map((path) => ({ path })), ...(deps.commandReads ?? [])],
      backgroundAllowed: deps.backgroundAllowed ?? true,
    }),
    createProcessTool(deps.commandSessions),
  ]
}

/** Leaves room for the note about how to continue. */
function readMaxBytes(resultMaxChars: number | undefined): number | undefined {
  return resultMaxChars === undefined ? undefined : Math.max(1000, resultMaxChars - 200)
}
