import type { HostFolder } from '../../host.ts'
import type { CommandSessions } from '../exec/command-sessions.ts'
import type { ExecRules } from '../exec/effective-exec-policy.ts'
import type { ExecApprovals } from '../exec/exec-approvals.ts'
import { createApplyPatchTool } from './apply-patch-tool.ts'
import { createEditTool } from './edit-tool.ts'
import { createExecTool } from './exec-tool.ts'
import { withGuardedSelf } from './guarded-files.ts'
import { createProcessTool } from './process-tool.ts'
import { createReadTool } from './read-tool.ts'
import { withReadableFolders, withReadableWorkspace } from './readable-folders.ts'
import type { Tool } from './tool.ts'
import { createUnconfinedFiles } from './unconfined-files.ts'
import { createWorkspaceFiles } from './workspace-files.ts'
import { createWriteTool, type InTurn } from './write-tool.ts'

export interface ToolsDeps {
  /** Where it works: the agent's own workspace, or a folder that the run was given. */
  readonly workspace: HostFolder
  /** The agent's own when it works elsewhere: `read` may look into it, by whole paths. */
  readonly ownWorkspace?: HostFolder
  /** True when others than people speak in the run: then it changes nothing of what the agent is made of. */
  readonly guardsSelf?: boolean
  /** False only by the operator's act: then paths may lead anywhere. */
  readonly workspaceOnly: boolean
  readonly exec: {
    readonly rules: readonly ExecRules[]
    readonly approvals: ExecApprovals
    /** Whether somebody could answer a question right now. */
    readonly approverPresent: () => boolean
    readonly shell?: string
    readonly timeoutSeconds?: number
  }
  /** The variables that a command may inherit from the server. */
  readonly env: Readonly<Record<string, string>>
  /** Variables of the agent's skills. */
  readonly skillEnv?: Readonly<Record<string, string>>
  readonly commandSessions: CommandSessions
  /** False when policy takes `process` away. */
  readonly backgroundAllowed?: boolean
  /** Folders outside the workspace that `read` may look into, such as those of the agent's skills. */
  readonly readableFolders?: readonly string[]
  /** What a model is shown of one result, so that `read` stops at a line instead of being cut afterwards. */
  readonly resultMaxChars?: number
}

export const BUILT_IN_TOOLS = ['read', 'write', 'edit', 'apply_patch', 'exec', 'process'] as const

/** The built-in tools of one agent. Which of them a model is offered is for the policy to say. */
export function createTools(deps: ToolsDeps): readonly Tool[] {
  const files = deps.workspaceOnly ? createWorkspaceFiles(deps.workspace) : createUnconfinedFiles(deps.workspace.path)
  const own = deps.workspaceOnly && deps.ownWorkspace ? createWorkspaceFiles(deps.ownWorkspace) : null
  const readable = own ? withReadableWorkspace(files, own) : files
  const writable = deps.guardsSelf ? withGuardedSelf(files) : files
  // Writes of one batch run one after the other: two edits of a file at once would lose one.
  const inTurn = createTurn()
  return [
    createReadTool(withReadableFolders(readable, deps.readableFolders ?? []), {
      maxBytes: readMaxBytes(deps.resultMaxChars),
    }),
    createWriteTool(writable, inTurn),
    createEditTool(writable, inTurn),
    createApplyPatchTool(writable, inTurn),
    createExecTool({
      ...deps.exec,
      files,
      environment: { inherited: deps.env, skills: deps.skillEnv },
      sessions: deps.commandSessions,
      backgroundAllowed: deps.backgroundAllowed ?? true,
    }),
    createProcessTool(deps.commandSessions),
  ]
}

/** Leaves room for the line that says how to go on. */
function readMaxBytes(resultMaxChars: number | undefined): number | undefined {
  return resultMaxChars === undefined ? undefined : Math.max(1000, resultMaxChars - 200)
}

function createTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
}
